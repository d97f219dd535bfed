// SPDX-License-Identifier: GPL-2.0-or-later
// A file descriptor with one owner. The destructor closes it.
#pragma once

#include <unistd.h>
#include <utility>

namespace causeway {

class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor &operator=(Descriptor &&other) noexcept {
        if (this != &other) {
            reset();
            number_ = std::exchange(other.number_, -1);
        }
        return *this;
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    ~Descriptor() { reset(); }

    explicit operator bool() const { return number_ >= 0; }
    int get() const { return number_; }

    void reset() {
        if (number_ >= 0) {
            ::close(number_);
        }
        number_ = -1;
    }

  private:
    int number_ = -1;
};

} // namespace causeway
