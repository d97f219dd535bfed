// SPDX-License-Identifier: GPL-2.0-or-later
// Small files that are complete or absent after a power failure at any time.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace causeway {

// A file that is written and synced under a temporary name in the folder of its final place.
// Unless commit() or commit_new() has renamed it, the destructor removes it.
class StagedFile {
  public:
    // Makes missing folders (mode 0755). @mode is the mode of the finished file. With
    // Space::reserved the file can be overwritten later, up to its size, on a full file system.
    enum class Space { as_needed, reserved };
    static Result<StagedFile> write(const std::filesystem::path &place, std::string_view content,
                                    unsigned int mode, Space space = Space::as_needed);

    StagedFile(StagedFile &&other) noexcept;
    StagedFile &operator=(StagedFile &&) = delete;
    StagedFile(const StagedFile &) = delete;
    StagedFile &operator=(const StagedFile &) = delete;
    ~StagedFile();

    // Renames the file into place and syncs the folder. Replaces a file of that name.
    Result<void> commit();
    // Does the same as commit(), but returns an error if a file of that name exists.
    Result<void> commit_new();

  private:
    StagedFile(std::filesystem::path place, std::filesystem::path temporary)
        : place_(std::move(place)), temporary_(std::move(temporary)) {}

    std::filesystem::path place_;
    std::filesystem::path temporary_; // empty after a rename or a move
};

// Writes a file as StagedFile does, and commits it. Replaces a file of that name.
Result<void> write_durably(const std::filesystem::path &place, std::string_view content,
                           unsigned int mode);

// Makes a folder and its missing parents, and syncs them. The parents get mode 0755. An existing
// folder stays as it is.
Result<void> make_folder_durably(const std::filesystem::path &folder, unsigned int mode);

// Gives an existing file a size, allocates the space for all of it, and syncs it.
Result<void> reserve_durably(const std::filesystem::path &place, std::size_t size);

// Syncs a folder, so that names made, renamed or removed in it survive a crash.
Result<void> sync_folder(const std::filesystem::path &folder);

// Makes a symbolic link, which atomically replaces a file or link of that name. Makes missing
// folders.
Result<void> link_durably(const std::filesystem::path &place, const std::string &target);

// Returns true if there was something to remove.
Result<bool> remove_durably(const std::filesystem::path &place);

// Returns none if there is no such file. Returns an error for a file above 1 MiB.
Result<std::optional<std::string>> read_small_file(const std::filesystem::path &place);

// An exclusive lock on a file (flock(2)), which is made if it does not exist. A process holds such
// a lock, for example, while it changes exports and their configuration files together. The
// destructor releases the lock, so a lock needs a name: TRY(FileLock::take(place)) as a statement
// of its own releases it at once.
class [[nodiscard]] FileLock {
  public:
    // Waits without limit until the lock is free.
    static Result<FileLock> take(const std::filesystem::path &place);
    // Does not wait. Returns none if another process has the lock.
    static Result<std::optional<FileLock>> take_now(const std::filesystem::path &place);

  private:
    explicit FileLock(Descriptor file) : file_(std::move(file)) {}
    static Result<Descriptor> open(const std::filesystem::path &place);

    Descriptor file_;
};

} // namespace causeway
