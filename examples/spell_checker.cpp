// A spell checker: the dictionary is a filter, and suggestions are the words one edit away that it has.
//
// The dictionary does not change: `hortus plan -n 100k -p 0.1% --need build` recommends `ribbon`. A wrong word is accepted with
// probability fpr. A wrong word has hundreds of neighbours one edit away, and each of those that is no word is suggested with
// probability fpr: so the rate is chosen for the suggestions.
//
//   example_spell_checker [WORDS [TEXT]]       files with a word in each line; without them, made-up words
#include <array>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <unordered_set>
#include <vector>

#include <hortus/frozen/ribbon.hpp>
#include <hortus/hash/mix64.hpp>

// Words of 2 to 4 syllables that sound like a language.
std::string made_up(std::uint64_t i) {
  static std::array<char const*, 16> const starts{"b", "ch", "d",  "f", "gr", "h",  "k", "l",
                                                  "m", "n",  "pr", "r", "s",  "st", "t", "v"};
  static std::array<char const*, 8> const vowels{"a", "e", "i", "o", "u", "ea", "ou", "ie"};
  std::string word;
  auto random = hortus::mix64(i + 1);
  for (unsigned left = 2 + static_cast<unsigned>(random % 3); left != 0; --left, random = hortus::mix64(random)) {
    word += starts[random >> 8 & 15];
    word += vowels[random >> 16 & 7];
  }
  return word;
}
std::vector<std::string> words_of(char const* file) {
  std::vector<std::string> words;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) words.push_back(line);
  return words;
}

// Every string that one deletion, transposition, replacement or insertion makes of the word.
std::vector<std::string> edits(std::string const& word) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i <= word.size(); ++i) {
    auto const head = word.substr(0, i), tail = word.substr(i);
    if (!tail.empty()) all.push_back(head + tail.substr(1));
    if (tail.size() > 1) all.push_back(head + tail[1] + tail[0] + tail.substr(2));
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      if (!tail.empty()) all.push_back(head + letter + tail.substr(1));
      all.push_back(std::string(head).append(1, letter).append(tail));
    }
  }
  return all;
}

int main(int argc, char** argv) {
  std::vector<std::string> words;
  if (argc > 1)
    words = words_of(argv[1]);
  else
    for (std::uint64_t i = 0; i < 50'000; ++i) words.push_back(made_up(i));
  std::unordered_set<std::string> const exact(words.begin(), words.end());  // to count what the filter gets wrong
  std::size_t letters = 0;
  for (auto const& word : exact) letters += word.size() + 1;

  // The text: dictionary words, one in fifty with a letter replaced.
  std::vector<std::string> text;
  if (argc > 2)
    text = words_of(argv[2]);
  else
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      auto word = words[hortus::mix64(i) % words.size()];
      if (i % 50 == 3 && !word.empty()) word[i % word.size()] = static_cast<char>('a' + i % 26);
      text.push_back(word);
    }

  for (double const fpr : {0.01, 0.001, 0.0001}) {
    auto const dictionary = hortus::ribbon_filter::build(words, {.fpr = fpr});
    auto const known = dictionary.may_contain(text);  // the whole text in one batch
    std::size_t wrong = 0, accepted = 0, suggested = 0, invented = 0, asked = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      accepted += known[i] && !exact.contains(text[i]) ? 1U : 0U;
      if (known[i]) continue;
      ++wrong;
      auto const near = edits(text[i]);
      auto const found = dictionary.may_contain(near);
      asked += near.size();
      for (std::size_t j = 0; j < near.size(); ++j) {
        suggested += found[j] ? 1U : 0U;
        invented += found[j] && !exact.contains(near[j]) ? 1U : 0U;
      }
    }
    std::printf(
        "rate %.4f: %zu bytes for %zu words (%zu as text); of %zu words %zu are marked, %zu wrong ones are not;\n"
        "  %zu neighbours asked for, %zu suggested, of which %zu are no words\n",
        fpr, dictionary.size_bytes(), exact.size(), letters, text.size(), wrong, accepted, asked, suggested, invented);
  }
}
