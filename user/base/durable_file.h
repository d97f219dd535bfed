// SPDX-License-Identifier: GPL-2.0-or-later
// Small files that are there whole or not at all, whenever the power fails.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace causeway {

// A file written beside its place and synced, not yet visible under its name. Dropped without
// commit() it leaves nothing behind.
class StagedFile {
  public:
    // Makes missing folders (0755). Mode is that of the finished file. A file with reserved space
    // can be written again, up to its size, on a full file system.
    enum class Space { as_needed, reserved };
    static Result<StagedFile> write(const std::filesystem::path &place, std::string_view content,
                                    unsigned int mode, Space space = Space::as_needed);

    StagedFile(StagedFile &&other) noexcept;
    StagedFile &operator=(StagedFile &&) = delete;
    StagedFile(const StagedFile &) = delete;
    StagedFile &operator=(const StagedFile &) = delete;
    ~StagedFile();

    // Renames into place and syncs the folder.
    Result<void> commit();
    // The same, but an error where a file of that name is there already.
    Result<void> commit_new();

  private:
    StagedFile(std::filesystem::path place, std::filesystem::path temporary)
        : place_(std::move(place)), temporary_(std::move(temporary)) {}

    std::filesystem::path place_;
    std::filesystem::path temporary_; // empty once renamed or moved from
};

Result<void> write_durably(const std::filesystem::path &place, std::string_view content,
                           unsigned int mode);

// Makes a folder and those above it, all of them 0755 but for the last. One that is there stays.
Result<void> make_folder_durably(const std::filesystem::path &folder, unsigned int mode);

// Gives a file that is there a size, with space for all of it, and syncs it.
Result<void> reserve_durably(const std::filesystem::path &place, std::size_t size);

// Makes changes of names in a folder outlast a crash.
Result<void> sync_folder(const std::filesystem::path &folder);

// A symbolic link that replaces what has its name, in one step; makes missing folders.
Result<void> link_durably(const std::filesystem::path &place, const std::string &target);

// True when there was something to remove.
Result<bool> remove_durably(const std::filesystem::path &place);

// None where there is no such file. Files above 1 MiB are refused.
Result<std::optional<std::string>> read_small_file(const std::filesystem::path &place);

// Held while exports, drop-ins and the instance file change together; released by the destructor.
// A lock needs a name: TRY(FileLock::take(place)) as a statement of its own releases it at once.
class [[nodiscard]] FileLock {
  public:
    // Waits for its turn.
    static Result<FileLock> take(const std::filesystem::path &place);
    // None: another process has it.
    static Result<std::optional<FileLock>> take_now(const std::filesystem::path &place);

  private:
    explicit FileLock(Descriptor file) : file_(std::move(file)) {}
    static Result<Descriptor> open(const std::filesystem::path &place);

    Descriptor file_;
};

} // namespace causeway
