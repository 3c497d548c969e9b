#include "mailbox.h"

#include <utility>

void Mailbox::put(std::string letter) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !letter_.has_value(); });
    letter_ = std::move(letter);
    changed_.notify_one();
}

std::string Mailbox::take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return letter_.has_value(); });
    std::string letter = std::move(*letter_);
    letter_.reset();
    changed_.notify_one();
    return letter;
}
