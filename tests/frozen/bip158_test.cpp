// BIP 158's own test vectors (bip-0158/testnet-19.json in the repository of Bitcoin improvement proposals): blocks of the test
// network, their elements, and the bytes of their basic filters.
#include <hortus/frozen/bip158.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>

namespace hortus::bip158 {
namespace {

struct vector {
  std::string_view block_hash;  ///< as it is shown: the last byte first
  std::vector<std::string_view> elements;
  std::string_view filter;
};

std::vector<vector> const published{
    // Block 0. Genesis block.
    {"000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943",
     {("4104678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de"
       "5c384df7ba0b8d578a4c702b6bf11d5fac")},
     "019dfca8"},
    // Block 2. One output.
    {"000000006c02c8ea6e4ff69651f7fcde348fb9d557a06e6957b65552002a7820",
     {"21038a7f6ef1c8ca0c588aa53fa860128077c9e6c11e6830f4d7ee4e763a56b7718fac"},
     "0174a170"},
    // Block 49291. Tx pays to empty output script.
    {"0000000018b07dca1b28b4b5a119f6d6e71698ce1ed96f143f54179ce177a19c",
     {"2102971dd6034ed0cf52450b608d196c07d6345184fcb14deb277a6b82d526a6163dac",
      "76a91445db0b779c0b9fa207f12a8218c94fc77aff504588ac",
      ("5221033423007d8f263819a2e42becaaf5b06f34cb09919e06304349d950668209eaed21021d69e2b68c3960903b702af782"
       "9fadcd80bd89b158150c85c4a75b2c8cb9c39452ae"),
      ("52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179821021d69e2b68c3960903b702af782"
       "9fadcd80bd89b158150c85c4a75b2c8cb9c39452ae"),
      ("522102a7ae1e0971fc1689bd66d2a7296da3a1662fd21a53c9e38979e0f090a375c12d21022adb62335f41eb4e27056ac37d"
       "462cda5ad783fa8e0e526ed79c752475db285d52ae"),
      ("52210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f8179821022adb62335f41eb4e27056ac37d"
       "462cda5ad783fa8e0e526ed79c752475db285d52ae"),
      "512103b9d1d0e2b4355ec3cdef7c11a5c0beff9e8b8d8372ab4b4e0aaf30e80173001951ae",
      "76a9149144761ebaccd5b4bbdc2a35453585b5637b2f8588ac",
      ("522103f1848b40621c5d48471d9784c8174ca060555891ace6d2b03c58eece946b1a9121020ee5d32b54d429c152fdc7b1db"
       "84f2074b0564d35400d89d11870f9273ec140c52ae"),
      "76a914f4fa1cc7de742d135ea82c17adf0bb9cf5f4fb8388ac"},
     "0afbc2920af1b027f31f87b592276eb4c32094bb4d3697021b4c6380"},
    // Block 180480. Tx spends from empty output script.
    {"00000000fd3ceb2404ff07a785c7fdcc76619edc8ed61bd25134eaa22084366a",
     {"2102e769e60137a4df6b0df8ebd387cca44c4c57ae74cc0114a8e8317c8f3bfd85e9ac",
      "2103bb52138972c48a132fc1f637858c5189607dd0f7fe40c4f20f6ad65f2d389ba4ac",
      "76a9147779b7fba1c1e06b717069b80ca170e8b04458a488ac", "76a9142a0307cd925dbb66b534c4db33003dd18c57015788ac",
      "76a914ae19d27efe12f5a886dc79af37ad6805db6f922d88ac", "76a9143b8d051d37a07ea1042067e93efe63dbf73920b988ac",
      "76a914797fb8777d7991d8284d88bfd421ce520f0f843188ac", "76a9146d10f3f592699265d10b106eda37c3ce793f7a8588ac",
      "76a9142903b138c24be9e070b3e73ec495d77a204615e788ac", "76a91433a1941fd9a37b9821d376f5a51bd4b52fa50e2888ac",
      "76a914e4374e8155d0865742ca12b8d4d14d41b57d682f88ac", "76a914001fa7459a6cfc64bdc178ba7e7a21603bb2568f88ac",
      "76a914f6039952bc2b307aeec5371bfb96b66078ec17f688ac"},
     "0db414c859a07e8205876354a210a75042d0463404913d61a8e068e58a3ae2aa080026"},
    // Block 926485. Duplicate pushdata 913bcc2be49cb534c20474c4dee1e9c4c317e7eb.
    {"000000000000015d6077a411a8f5cc95caf775ccf11c54e27df75ce58d187313",
     {"76a914876fbb82ec05caa6af7a3b5e5a983aae6c6cc6d688ac",
      "52534b424c4f434b3acd16772ad61a3c5f00287480b720f6035d5e54c9efc71be94bb5e3727f109090",
      "76a9143ebc40e411ed3c76f86711507ab952300890397288ac", "76a91450333046115eaa0ac9e0216565f945070e44573988ac",
      "76a914c01a7ca16b47be50cbdbc60724f701d52d75156688ac", "a914b7e6f7ff8658b2d1fb107e3d7be7af4742e6b1b387",
      "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac", "a9148fc37ad460fdfbd2b44fe446f6e3071a4f64faa687",
      "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac", "a914feb8a29635c56d9cd913122f90678756bf23887687",
      "76a914c01a7ca16b47be50cbdbc60724f701d52d75156688ac", "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac",
      "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac", "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac",
      "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac", "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac",
      "76a914913bcc2be49cb534c20474c4dee1e9c4c317e7eb88ac"},
     "09027acea61b6cc3fb33f5d52f7d088a6b2f75d234e89ca800"},
    // Block 1263442. Includes witness data.
    {"000000006f27ddfe1dd680044a34548f41bed47eba9e6f0b310da21423bc5f33",
     {"76a914f2c25ac3d59f3d674b1d1d0a25c27339aaac0ba688ac", "001446c29eabe8208a33aa1023c741fa79aa92e881ff",
      "002027a5000c7917f785d8fc6e5a55adfca8717ecb973ebb7743849ff956d896a7ed"},
     "0385acb4f0fe889ef0"},
    // Block 1414221. Empty data.
    {"0000000000000027b2b3b3381f114f674f481544ff2be37ae3788d7e078383b1", {}, "00"},
};

std::vector<std::byte> bytes(std::string_view hex) {
  std::vector<std::byte> all;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    all.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  return all;
}

siphash24 hash_of_block(std::string_view shown) {
  auto in_header = bytes(shown);
  std::reverse(in_header.begin(), in_header.end());
  return hash_of(std::span<std::byte const, 32>(in_header));
}

std::vector<element> elements_of(std::vector<std::vector<std::byte>> const& scripts) {
  return {scripts.begin(), scripts.end()};
}

TEST(bip158, published_filters_are_reproduced) {
  ASSERT_EQ(published.size(), 7U);
  for (auto const& each : published) {
    SCOPED_TRACE(std::string(each.block_hash));
    auto const hash = hash_of_block(each.block_hash);
    std::vector<std::vector<std::byte>> scripts;
    for (auto const hex : each.elements) scripts.push_back(bytes(hex));
    auto elements = elements_of(scripts);
    auto const filter = encode(hash, elements);
    EXPECT_EQ(filter, bytes(each.filter));
    std::reverse(elements.begin(), elements.end());
    elements.insert(elements.end(), elements.begin(), elements.end());
    EXPECT_EQ(encode(hash, elements), filter) << "in another order, each twice";
    for (auto const& one : elements) EXPECT_TRUE(matches(filter, hash, one));
    auto const absent = bytes("51");
    EXPECT_FALSE(matches(filter, hash, absent));
    EXPECT_EQ(matches_any(filter, hash, elements), !elements.empty());
    EXPECT_FALSE(matches_any(filter, hash, {}));
    elements.insert(elements.begin(), 20, element(absent));
    EXPECT_EQ(matches_any(filter, hash, elements), elements.size() > 20);
  }
}

std::vector<std::vector<std::byte>> numbered(std::uint64_t from, std::uint64_t count) {
  std::vector<std::vector<std::byte>> scripts;
  for (std::uint64_t i = from; i < from + count; ++i) {
    auto const* const first = reinterpret_cast<std::byte const*>(&i);
    scripts.emplace_back(first, first + sizeof i);
  }
  return scripts;
}

/// 253 and 65536 are where the number of elements becomes longer. 21.052 bits an element; three deviations of 1.4 sqrt(n).
TEST(bip158, filters_of_all_sizes_have_their_elements_and_the_expected_length) {
  siphash24 const hash;
  for (std::uint64_t const count : {1U, 252U, 253U, 1000U, 65'535U, 65'536U, 70'000U}) {
    auto const scripts = numbered(0, count);
    auto const filter = encode(hash, elements_of(scripts));
    EXPECT_EQ(elements_in(filter), count);
    double const expected = 21.052 * static_cast<double>(count);
    EXPECT_NEAR(8 * static_cast<double>(filter.size() - (count < 253      ? 1
                                                         : count < 65'536 ? 3
                                                                          : 5)),
                expected + 4, 4.2 * std::sqrt(count) + 8);
    for (std::uint64_t i = 0; i < count; i += 1 + count / 16) EXPECT_TRUE(matches(filter, hash, scripts[i])) << i;
    EXPECT_FALSE(matches_any(filter, hash, elements_of(numbered(1 << 20, 10)))) << "10 of 784931 by chance";
  }
}

TEST(bip158, damaged_filters_are_refused_or_answer_and_end) {
  siphash24 const hash;
  auto const scripts = numbered(0, 300);
  auto const filter = encode(hash, elements_of(scripts));
  auto const greatest = numbered(1 << 20, 1000);  // one is so great that almost all of the filter is read
  for (std::size_t length = 0; length + 20 < filter.size(); ++length)
    EXPECT_THROW((void)matches_any(std::span(filter).first(length), siphash24(), elements_of(greatest)), error) << length;
  for (auto const* const wrong : {"", "fd", "fd0100", "fdfc00", "fefd000000", "ffffff000000000000", "ff", "ffffffffffffffffff",
                                  "01", "01ff", "01ffffffffffffffffffffffffffffffffffff", "02ffffffff"})
    EXPECT_THROW((void)matches(bytes(wrong), hash, scripts[0]), error) << wrong;
  EXPECT_FALSE(matches(bytes("00"), hash, scripts[0]));
}

}  // namespace
}  // namespace hortus::bip158
