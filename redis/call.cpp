#include "redis/call.hpp"

#include <algorithm>
#include <new>

namespace hortus::server {
namespace {

unsigned long long refused_again = 0;  // for the main thread

void refuse(api::context* context, char const* text) noexcept {
  if (!comes_from_elsewhere(context)) {
    api::ReplyWithError(context, text);
    return;
  }
  ++refused_again;
  api::Log(context, "verbose", "a master or a file repeats what was refused: %s", text);
  api::ReplyWithNull(context);
}

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

void call::reply_refusal(char const* text) const noexcept { refuse(context_, text); }

bool comes_from_elsewhere(api::context* of) noexcept {
  return (api::GetContextFlags(of) & (api::flag_replicated | api::flag_loading)) != 0;
}

unsigned long long repeated_refusals() noexcept { return refused_again; }

void reply_failure(api::context* context) noexcept try { throw; } catch (no_memory const& why) {
  api::ReplyWithError(context, why.what());
} catch (refusal const& why) {
  refuse(context, why.what());
} catch (wrong_arity const&) {
  if (comes_from_elsewhere(context)) return refuse(context, "ERR wrong number of arguments");
  api::WrongArity(context);
} catch (std::bad_alloc const&) {
  api::ReplyWithError(context, out_of_memory_text);
} catch (std::exception const& why) {  // hortus::error above all
  try {
    refuse(context, ("ERR " + std::string(why.what())).c_str());
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
