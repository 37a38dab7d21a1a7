#include "redis/call.hpp"

#include <algorithm>
#include <new>

namespace hortus::server {
namespace {

refusals_of_repeated counted;  // for the main thread

/// An error for a client, null for a master or a file.
void refuse(api::context* context, char const* text, char const* level, unsigned long long& count) noexcept {
  if (!comes_from_elsewhere(context)) {
    api::ReplyWithError(context, text);
    return;
  }
  ++count;
  api::Log(context, level, "a master or a file says what is refused here: %s", text);
  api::ReplyWithNull(context);
}
void refuse_command(call const& it, char const* text) noexcept { refuse(it.context(), text, "warning", counted.commands); }

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

void call::reply_refusal(char const* text) const noexcept { refuse(context_, text, "verbose", counted.items); }

bool comes_from_elsewhere(api::context* of) noexcept {
  return (api::GetContextFlags(of) & (api::flag_replicated | api::flag_loading)) != 0;
}

refusals_of_repeated repeated_refusals() noexcept { return counted; }

void reply_failure(call const& it) noexcept try { throw; } catch (no_memory const& why) {
  it.reply_error(why.what());
} catch (refusal const& why) {
  refuse_command(it, why.what());
} catch (wrong_arity const&) {
  if (comes_from_elsewhere(it.context())) return refuse_command(it, "ERR wrong number of arguments");
  api::WrongArity(it.context());
} catch (std::bad_alloc const&) {
  it.reply_error(out_of_memory_text);
} catch (std::exception const& why) {  // hortus::error above all
  try {
    refuse_command(it, ("ERR " + std::string(why.what())).c_str());
  } catch (std::bad_alloc const&) {
    it.reply_error(out_of_memory_text);
  }
}

int run_guarded(void (*body)(call&), api::context* context, api::string** arguments, int count) noexcept {
  call it(context, arguments, count);
  try {
    body(it);
  } catch (...) {
    reply_failure(it);
  }
  return api::ok;
}

}  // namespace hortus::server
