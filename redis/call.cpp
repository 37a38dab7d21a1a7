#include "redis/call.hpp"

#include <algorithm>
#include <new>

namespace hortus::server {
namespace {

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

bool caller::is(std::size_t i, std::string_view word) const noexcept {
  return std::ranges::equal((*this)[i], word, [](char a, char b) { return lower(a) == lower(b); });
}

std::optional<long long> call::integer(std::size_t i) const noexcept {
  long long value = 0;
  if (api::StringToLongLong(arguments_[i], &value) != api::ok) return std::nullopt;
  return value;
}

std::optional<double> call::number(std::size_t i) const noexcept {
  double value = 0;
  if (api::StringToDouble(arguments_[i], &value) != api::ok) return std::nullopt;
  return value;
}

bool call::speaks_resp3() const noexcept { return (api::GetContextFlags(context_) & api::flag_resp3) != 0; }

void caller::reply_truth(bool value) const noexcept { api::ReplyWithBool(context_, value ? 1 : 0); }

void caller::begin_map(std::size_t pairs) const noexcept { api::ReplyWithMap(context_, static_cast<long>(pairs)); }

void reply_failure(api::context* context) noexcept try { throw; } catch (refusal const& why) {
  api::ReplyWithError(context, why.what());
} catch (wrong_arity const&) {
  api::WrongArity(context);
} catch (std::bad_alloc const&) {
  api::ReplyWithError(context, out_of_memory_text);
} catch (std::exception const& why) {  // hortus::error above all
  try {
    api::ReplyWithError(context, ("ERR " + std::string(why.what())).c_str());
  } catch (std::bad_alloc const&) {
    api::ReplyWithError(context, out_of_memory_text);
  }
}

int run_guarded(void (*body)(call&), api::context* context, api::string** arguments, int count) noexcept {
  try {
    call it(context, arguments, count);
    body(it);
  } catch (...) {
    reply_failure(context);
  }
  return api::ok;
}

}  // namespace hortus::server
