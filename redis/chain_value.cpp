#include "redis/chain_value.hpp"

#include <algorithm>
#include <limits>

namespace hortus::server {

bool reads_as_redisbloom(call const& of) noexcept {
  return current_settings().redisbloom_faults || comes_from_elsewhere(of.context());
}

long long most_of(call const& of, long long most) noexcept {
  return comes_from_elsewhere(of.context()) ? std::numeric_limits<long long>::max() : most;
}

redisbloom::chain_limits limits_of(call const& of) noexcept {
  if (comes_from_elsewhere(of.context())) return {redisbloom::most_cell_bytes, redisbloom::most_saved_probes};
  return {static_cast<std::uint64_t>(current_settings().max_object_bytes), redisbloom::most_probes};
}

void refuse_word(std::string_view word, char const* allowed) {
  constexpr std::size_t most_shown = 64;
  std::string shown(word.substr(0, most_shown));
  std::ranges::replace_if(
      shown, [](char c) { return c < ' ' || c > '~'; }, '?');  // a line break would end the reply
  throw refusal("ERR unknown argument '" + shown + "', allowed are " + allowed);
}

std::string obstacle_text(char const* redisbloom_text, redisbloom::obstacle why) {
  std::string text(redisbloom_text);
  switch (why) {
    case redisbloom::obstacle::too_many_probes:
      return text + ": it would need more than 64 hash functions, use a larger error rate or expansion";
    case redisbloom::obstacle::too_large:
      return text + ": it would be larger than max-object-bytes or the layout allows";
    case redisbloom::obstacle::none:
    case redisbloom::obstacle::impossible:
      break;
  }
  return text;
}

}  // namespace hortus::server
