#include <hortus/redis/directory.hpp>

#include <array>
#include <charconv>
#include <utility>

#include <hortus/maths/divisors.hpp>

namespace hortus::redis {
namespace {

constexpr std::string_view version_field = "hortus";
constexpr std::string_view version = "1";

std::string shortest(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// A field of a Redis hash or of the answer of HORTUS.INFO, as a number.
template <class Number>
Number number_in(reply const& fields, std::string_view name) {
  auto const* const found = fields.find(name);
  Number value = 0;
  if (found != nullptr && found->what == reply::kind::integer && found->integer >= 0)
    return static_cast<Number>(found->integer);
  if (found != nullptr && found->what == reply::kind::text) {
    auto const* const end = found->text.data() + found->text.size();
    auto const [stopped, failure] = std::from_chars(found->text.data(), end, value);
    if (failure == std::errc() && stopped == end) return value;
  }
  throw error(errc::corrupt, "the field '" + std::string(name) + "' is missing or no number");
}

envelope envelope_in(reply const& fields) {
  auto const* const family = fields.find("family");
  if (family == nullptr) throw error(errc::corrupt, "the field 'family' is missing");
  return {.family = family->as_text(),
          .hash_id = number_in<std::uint32_t>(fields, "hash_id"),
          .seed = number_in<std::uint64_t>(fields, "seed"),
          .key_check = number_in<std::uint64_t>(fields, "key_check"),
          .kinds = static_cast<key_kind>(number_in<std::uint32_t>(fields, "kinds") & 7U),
          .items_planned = number_in<std::uint64_t>(fields, "items_planned"),
          .fpr_planned = number_in<double>(fields, "fpr_planned"),
          .items_inserted = number_in<std::uint64_t>(fields, "items_inserted")};
}

template <class Act>
auto naming_key(std::string const& key, Act act) try {
  return act();
} catch (error const& e) {
  if (dynamic_cast<lost_connection const*>(&e) != nullptr) throw;
  throw error(e.code(), "'" + key + "': " + e.what());
}

}  // namespace

reply accepted(reply answer, std::string const& place) {
  if (answer.is_error()) throw error(errc::io, "the server at " + place + " answers: " + answer.text);
  return answer;
}

std::string shard_tag(std::uint64_t i, std::uint64_t shards) {
  auto name = std::to_string(i);
  auto const is_right = [&](std::string_view tag) { return slot_of(tag) * shards / cluster_slots == i; };
  if (is_right(name)) return name;
  for (std::uint64_t k = 1;; ++k)
    if (auto tag = name + "." + std::to_string(k); is_right(tag)) return tag;
}

std::string directory::shard_key(std::uint64_t i) const {
  return key + ":{" + shard_tag(i, plan.shards) + "}" + (generation == 0 ? "" : "." + std::to_string(generation));
}

std::vector<std::string> directory::to_words() const {
  return {"HSET",
          key,
          std::string(version_field),
          std::string(version),
          "family",
          about.family,
          "places",
          std::to_string(plan.places),
          "shards",
          std::to_string(plan.shards),
          "generation",
          std::to_string(generation),
          "hash",
          hash_name(about.hash_id),
          "hash_id",
          std::to_string(about.hash_id),
          "seed",
          std::to_string(about.seed),
          "key_check",
          std::to_string(about.key_check),
          "kinds",
          std::to_string(static_cast<unsigned>(about.kinds)),
          "items_planned",
          std::to_string(about.items_planned),
          "fpr_planned",
          shortest(about.fpr_planned),
          "items_inserted",
          std::to_string(about.items_inserted)};
}

directory directory::from_reply(std::string key, reply const& fields) {
  return naming_key(key, [&] {
    auto const* const its_version = fields.find(version_field);
    if (its_version == nullptr || its_version->what != reply::kind::text)
      throw error(errc::incompatible, "is a Redis hash, but not that of a filter in shards");
    if (its_version->text != version)
      throw error(errc::unsupported, "is a filter in shards of version " + its_version->text + ", which is not known");
    directory made{.key = key,
                   .about = envelope_in(fields),
                   .plan = {number_in<std::uint64_t>(fields, "places"), number_in<std::uint64_t>(fields, "shards")},
                   .generation = number_in<std::uint64_t>(fields, "generation")};
    if (!(made.about.fpr_planned >= 0 && made.about.fpr_planned <= 1)) throw error(errc::corrupt, "has no rate");
    if (made.plan.shards > max_shards) throw error(errc::corrupt, "has too many shards");
    (void)shard_finder(made.about.family, made.plan);  // throws if it cannot be
    return made;
  });
}

found_filter find_filter(servers& at, std::string const& key) {
  auto const call = [&](std::vector<std::string> words) { return accepted(at.call(std::move(words), key), at.place_of(key)); };
  auto const type = call({"TYPE", key}).as_text();
  if (type == "none") throw error(errc::absent, "there is no filter at '" + key + "': hortus redis push makes one");
  if (type == "hash") return {true, directory::from_reply(key, call({"HGETALL", key}))};
  if (type == "hortus-in")
    throw error(errc::incompatible, "'" + key + "' is an import that is not complete: HORTUS.IMPORT continues it");
  for (std::string_view const redisbloom : {"MBbloom--", "MBbloomCF", "CMSk-TYPE", "TopK-TYPE", "bloomfltr"})
    if (type == redisbloom)
      throw error(errc::incompatible, "'" + key + "' is a value of BF.*, CF.*, CMS.* or TOPK.* (Redis type " + type +
                                          "), which hash keys in another way: make a filter of the same keys again, with "
                                          "hortus build and hortus redis push, or hortus redis create and add");
  if (type != "hortus-fl") throw error(errc::incompatible, "'" + key + "' is no filter, but a Redis value of type " + type);
  auto const fields = call({"HORTUS.INFO", key, "HASH"});
  return naming_key(key, [&]() -> found_filter { return {false, {.key = key, .about = envelope_in(fields), .plan = {}}}; });
}

}  // namespace hortus::redis
