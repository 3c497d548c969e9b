// A mailbox with room for one letter.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

class Mailbox {
public:
    // Waits until the box is empty, and puts a letter into it.
    void put(std::string letter);

    // Waits until there is a letter, and takes it.
    std::string take();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<std::string> letter_;
};
