#include "redis/redisbloom/bloom_chain.hpp"

#include "redis/redisbloom/murmur.hpp"
#include "redis/redisbloom/wire.hpp"

namespace hortus::redisbloom {
namespace {

constexpr std::uint64_t wide_seed = 0xc6a4a7935bd1e995U;
constexpr std::uint32_t narrow_seed = 0x9747b28cU;
constexpr double tightening = 0.5;
constexpr std::uint64_t chain_header_bytes = 20;
constexpr std::uint64_t filter_header_bytes = 53;

}  // namespace

// -- one sub-filter ----------------------------------------------------------------------------------------------------------

sub_bloom::sub_bloom(bloom_shape const& shape, std::uint64_t items_inside, cells from) noexcept
    : store(std::move(from)),
      items(items_inside),
      bits_(shape.bits),
      reciprocal_(~std::uint64_t{0} / shape.bits),
      error_(shape.error),
      bits_per_entry_(shape.bits_per_entry),
      entries_(shape.entries & (most_entries - 1)),
      probes_(shape.probes & 0xfffU),
      log2_bits_(shape.log2_bits & 0x3fU) {}

/// Calls visit(position) until it returns false. RedisBloom divides for each position. The product with the reciprocal is the
/// quotient or one less, so that one subtraction corrects the remainder.
bool sub_bloom::for_positions(item_hash const& x, auto&& visit) const noexcept {
  __extension__ using wide = unsigned __int128;
  std::uint64_t const bits = bits_;
  std::uint64_t sum = x.first;
  for (unsigned left = probes_; left != 0; --left) {
    auto const quotient = static_cast<std::uint64_t>(static_cast<wide>(sum) * reciprocal_ >> 64);
    std::uint64_t at = sum - quotient * bits;
    if (at >= bits) at -= bits;
    if (!visit(at)) return false;
    sum += x.step;
  }
  return true;
}

bool sub_bloom::contains(item_hash const& x) const noexcept {
  auto const* const bytes = store.data();
  return for_positions(x, [bytes](std::uint64_t at) { return (bytes[at / 8] >> (at % 8) & 1) != 0; });
}

void sub_bloom::set(item_hash const& x) noexcept {
  auto* const bytes = store.data();
  for_positions(x, [bytes](std::uint64_t at) {
    bytes[at / 8] = static_cast<std::uint8_t>(bytes[at / 8] | 1U << (at % 8));
    return true;
  });
}

void sub_bloom::prefetch(item_hash const& x) const noexcept {
  auto const* const bytes = store.data();
  for_positions(x, [bytes, left = 3](std::uint64_t at) mutable {
    __builtin_prefetch(bytes + at / 8);
    return --left > 0;
  });
}

bloom_shape sub_bloom::shape() const noexcept {
  return {.entries = entries_,
          .error = error_,
          .bits_per_entry = bits_per_entry_,
          .probes = static_cast<std::uint32_t>(probes_),
          .log2_bits = static_cast<std::uint32_t>(log2_bits_),
          .bits = bits_,
          .bytes = store.size()};
}

// -- the chain ---------------------------------------------------------------------------------------------------------------

obstacle bloom_chain::make(goal const& wanted, chain_limits limits, bloom_chain& made) {
  bloom_chain fresh;
  fresh.options_ = exact_bits | wide_hash | (wanted.scaling ? 0U : never_grows);
  fresh.expansion_ = wanted.expansion;
  bloom_shape shape;
  auto const why =
      plan_bloom(wanted.capacity, wanted.scaling ? wanted.error * tightening : wanted.error, fresh.options_, limits, shape);
  if (why != obstacle::none) return why;
  fresh.filters_.add(sub_bloom(shape));
  made = std::move(fresh);
  return obstacle::none;
}

item_hash bloom_chain::hash(std::string_view item) const noexcept {
  if ((options_ & wide_hash) != 0) {
    auto const first = murmur64(item, wide_seed);
    return {first, murmur64(item, first)};
  }
  auto const first = murmur32(item, narrow_seed);
  return {first, murmur32(item, first)};
}

bool bloom_chain::contains(item_hash const& x) const noexcept {
  for (auto i = filters_.size(); i != 0; --i)
    if (filters_[i - 1].contains(x)) return true;
  return false;
}

void bloom_chain::prefetch(item_hash const& x) const noexcept {
  for (auto const& each : filters_)
    if (each.store.size() >= cached_bytes) each.prefetch(x);
}

addition bloom_chain::add(item_hash const& x) noexcept {
  if (contains(x)) return addition::present;
  auto& newest = filters_.last();
  if (newest.full()) return addition::full;
  newest.set(x);
  ++newest.items;
  ++items_;
  return addition::added;
}

obstacle bloom_chain::grow(chain_limits limits) {
  auto const newest = filters_.last().shape();
  if (expansion_ > most_entries / newest.entries) return obstacle::too_large;
  auto const used = cell_bytes();
  limits.bytes = limits.bytes > used ? limits.bytes - used : 0;
  bloom_shape shape;
  auto const why = plan_bloom(newest.entries * expansion_, newest.error * tightening, options_, limits, shape);
  if (why == obstacle::none) filters_.add(sub_bloom(shape));
  return why;
}

std::uint64_t bloom_chain::capacity() const noexcept {
  std::uint64_t sum = 0;
  for (auto const& each : filters_) sum += each.entries();
  return sum;
}

std::uint64_t bloom_chain::cell_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (auto const& each : filters_) sum += each.store.size();
  return sum;
}

std::uint64_t bloom_chain::reported_bytes() const noexcept {
  return sizeof(bloom_chain) + sizeof(sub_bloom) * filters_.size() + cell_bytes();
}

// -- saved chains ------------------------------------------------------------------------------------------------------------

bloom_shape checked_shape(bloom_shape saved, std::uint64_t items, chain_limits& left) {
  if (saved.bytes > left.bytes) refuse_saved("it is larger than max-object-bytes");
  left.bytes -= saved.bytes;
  if (saved.log2_bits != 0 && saved.log2_bits < 64) {
    // Saved as 0, as that power of two, or as all bits that there are.
    auto const power = std::uint64_t{1} << saved.log2_bits;
    if (saved.bits == 0 || (saved.bits >= power && saved.bits / 8 <= saved.bytes)) saved.bits = power;
  }
  if (!plausible(saved)) refuse_saved("rate, capacity and bits of a sub-filter do not fit together");
  if (items > saved.entries) refuse_saved("a sub-filter has more items than its capacity");
  return saved;
}

bloom_chain::bloom_chain(std::uint64_t items, std::uint64_t filters, std::uint32_t options, std::uint32_t expansion)
    : items_(items), options_(options), expansion_(expansion) {
  if (filters < 1 || filters > most_saved_blooms) refuse_saved("the number of sub-filters is not 1 to 1075");
  if ((options & ~known_options) != 0) refuse_saved("it has unknown options");
  if (!scales() && filters != 1) refuse_saved("it does not scale, but has more than one sub-filter");
  if (scales() && expansion == 0) refuse_saved("it scales, but its expansion is 0");
  filters_ = short_list<sub_bloom>(static_cast<std::uint32_t>(filters));
}

void bloom_chain::check_whole() const {
  std::uint64_t sum = 0;  // at most 1075 times 2^46
  for (auto const& each : filters_) sum += each.items;
  if (sum != items_) refuse_saved("the sub-filters do not have as many items as the whole");
}

std::uint64_t bloom_chain::header_bytes() const noexcept { return chain_header_bytes + filters_.size() * filter_header_bytes; }

void bloom_chain::write_header(char* to) const noexcept {
  packer out(to);
  out.put(items_).put(filters_.size()).put(options_).put(expansion_);
  for (auto const& each : filters_) {
    auto const shape = each.shape();
    out.put(shape.bytes).put(each.saved_bits()).put(each.items).put(shape.error).put(shape.bits_per_entry).put(shape.probes);
    out.put(shape.entries).put(static_cast<std::uint8_t>(shape.log2_bits));
  }
}

bloom_chain bloom_chain::from_header(std::string_view header, chain_limits limits) {
  if (header.size() < chain_header_bytes) refuse_saved("the header is too short");
  unpacker in(header);
  auto const items = in.take<std::uint64_t>();
  auto const filters = in.take<std::uint32_t>();
  auto const options = in.take<std::uint32_t>();
  auto const expansion = in.take<std::uint32_t>();
  if (header.size() != chain_header_bytes + filters * filter_header_bytes) refuse_saved("the header has another length");
  bloom_chain made(items, filters, options, expansion);
  for (std::uint32_t i = 0; i < filters; ++i) {
    bloom_shape shape;
    shape.bytes = in.take<std::uint64_t>();
    shape.bits = in.take<std::uint64_t>();
    auto const items_here = in.take<std::uint64_t>();
    shape.error = in.take<double>();
    shape.bits_per_entry = in.take<double>();
    shape.probes = in.take<std::uint32_t>();
    shape.entries = in.take<std::uint64_t>();
    shape.log2_bits = in.take<std::uint8_t>();
    shape = checked_shape(shape, items_here, limits);
    made.filters_.add(sub_bloom(shape, items_here, cells(shape.bytes)));
  }
  made.check_whole();
  return made;
}

}  // namespace hortus::redisbloom
