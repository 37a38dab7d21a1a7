#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace hortus::cli {

/// The reader of our output has closed it (`hortus query ... | head`). Not a hortus::error: the command ends quietly.
class closed_pipe : public std::exception {
 public:
  [[nodiscard]] char const* what() const noexcept override { return "the reader of the output is gone"; }
};

/// Makes a write to a closed pipe throw closed_pipe, and a write past the limit on file sizes throw errc::io, instead of
/// killing the process, which would leave temporary files behind. For main(), before the first write.
void ignore_broken_pipes() noexcept;

/// If standard input, output or error was closed by the caller, occupies that descriptor with /dev/null, opened in the unusable
/// direction. Using it still fails, and a file opened later cannot become descriptor 0, 1 or 2 and receive our messages. For
/// main(), before the first file.
void occupy_standard_descriptors() noexcept;

/// When an output writes its buffer.
enum class flushing {
  when_full,   ///< only when the buffer is full: for files
  each_block,  ///< also at block_done(): someone at a pipe or terminal may wait for the answers
};

/// A buffered writer for a descriptor that the caller owns. On a terminal the output replaces the line of progress. Throws
/// closed_pipe, or errc::io for a full disk and the like; the buffer is then dropped. The destructor writes the rest but
/// does not report failures: call flush() first.
class output {
 public:
  explicit output(int descriptor, flushing policy = flushing::when_full, std::string name = "standard output");
  output(output const&) = delete;
  output& operator=(output const&) = delete;
  ~output();

  void write(std::string_view bytes) {
    if (bytes.size() > capacity - used_) return write_slowly(bytes);
    append(bytes);
  }

  /// A key and its separator.
  void line(std::string_view bytes, char separator = '\n') {
    if (bytes.size() >= capacity - used_) {  // no room for key and separator
      write_slowly(bytes);
      return write({&separator, 1});
    }
    append(bytes);
    buffer_[used_++] = separator;
  }

  /// Formatted text, independent of the locale.
  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::memory_buffer text;
    fmt::format_to(fmt::appender(text), format, std::forward<Args>(args)...);
    write({text.data(), text.size()});
  }

  void flush();
  /// The answers to one block of input are complete.
  void block_done() {
    if (policy_ == flushing::each_block) flush();
  }

 private:
  static constexpr std::size_t capacity = std::size_t{256} << 10;

  void append(std::string_view bytes) noexcept {
    if (!bytes.empty()) std::memcpy(buffer_.get() + used_, bytes.data(), bytes.size());
    used_ += bytes.size();
  }
  void write_slowly(std::string_view bytes);
  void write_out(std::string_view bytes);

  int descriptor_;
  bool terminal_;
  flushing policy_;
  std::string name_;
  std::size_t used_ = 0;
  std::unique_ptr<char[]> buffer_;
};

}  // namespace hortus::cli
