#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <hortus/near/angle.hpp>
#include <hortus/near/hamming.hpp>
#include <hortus/near/jaccard.hpp>

namespace hortus {

/// A key of a metric that is known only at run time.
using near_key = std::variant<bit_string, std::string_view, std::span<double const>>;

/// A metric chosen at run time, for example that of a file. The alternatives of near_key are in the order of the numbers.
struct any_metric {
  static constexpr std::string_view name = "any";
  static constexpr setting_note gram_note = jaccard::gram_note;

  std::uint64_t number = hamming::number;
  unsigned gram = 0;  ///< of jaccard; 0: its default

  /// "hamming", "jaccard", "angle"; none for another name.
  [[nodiscard]] static std::optional<any_metric> named(std::string_view which) noexcept {
    if (which == hamming::name) return any_metric{hamming::number, 0};
    if (which == jaccard::name) return any_metric{jaccard::number, jaccard().gram};
    if (which == angle::name) return any_metric{angle::number, 0};
    return std::nullopt;
  }
  [[nodiscard]] std::string_view kind() const noexcept {
    return number == hamming::number ? hamming::name : number == jaccard::number ? jaccard::name : angle::name;
  }
  /// What its keys are called, in messages.
  [[nodiscard]] std::string_view keys() const noexcept {
    return number == hamming::number ? "strings of bits" : number == jaccard::number ? "texts" : "vectors";
  }

  class key {
   public:
    explicit key(auto of_metric) : of_(std::move(of_metric)) {}
    [[nodiscard]] std::uint64_t dimension() const noexcept {
      return std::visit([](auto const& it) { return it.dimension(); }, of_);
    }
    [[nodiscard]] std::uint64_t sample(std::uint64_t draw) const noexcept {
      return std::visit([&](auto const& it) { return it.sample(draw); }, of_);
    }
    template <key_hash Hash>
    friend void locality_digests(key const& any, Hash const& hash, unsigned samples, std::span<digest> row) {
      std::visit([&](auto const& it) { hortus::locality_digests(it, hash, samples, row); }, any.of_);  // one choice a key
    }

   private:
    std::variant<hamming::key, jaccard::key, angle::key> of_;
  };

  [[nodiscard]] key prepared(near_key const& it, auto const& hash) const {
    if (it.index() + 1 != number) throw error(errc::bad_params, "the filter takes " + std::string(keys()));
    if (auto const* const bits = std::get_if<bit_string>(&it)) return key(hamming().prepared(*bits, hash));
    if (auto const* const text = std::get_if<std::string_view>(&it)) return key(jaccard{gram}.prepared(*text, hash));
    return key(angle().prepared(std::get<std::span<double const>>(it), hash));
  }

  [[nodiscard]] std::string_view dimension_unit() const noexcept {
    return number == hamming::number ? hamming::dimension_unit() : angle::dimension_unit();
  }
  [[nodiscard]] std::uint64_t most_dimension() const noexcept {
    return number == hamming::number ? hamming::max_dimension : number == angle::number ? angle::max_dimension : 0;
  }
  [[nodiscard]] std::uint64_t id() const noexcept { return number; }
  [[nodiscard]] bool valid() const noexcept {
    return number == jaccard::number ? jaccard{gram}.valid()
                                     : gram == 0 && (number == hamming::number || number == angle::number);
  }
  static void settings(auto& self, auto& io) { io("gram", self.gram, gram_note); }
  static void fields(auto& self, auto& io) { io(self.number, self.gram); }
  bool operator==(any_metric const&) const = default;
};
static_assert(metric<any_metric> && key_of_metric<any_metric, near_key>);

}  // namespace hortus
