// SPDX-License-Identifier: GPL-2.0-or-later
// The configuration files of exports, attachments and NFS rules: one INI file each. The command
// writes them, "causeway restore" reads them, and an administrator may edit them.
#pragma once

#include "base/disk_settings.h"
#include "base/places.h"
#include "base/result.h"
#include "config/dropin_folder.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace causeway {

// Returns the text of the file, or an error if INI cannot hold a value, such as a path with '#'.
Result<std::string> dropin_text(const ExportSettings &settings);
Result<std::string> dropin_text(const AttachmentSettings &settings);

std::string dropin_text(const NfsRule &rule);

// These parsers return an error (bad_config) that names @source and the line. @name is the name of
// the export, which the content of its file does not have.
Result<ExportSettings> parse_export_dropin(const std::string &source, std::string_view name,
                                           std::string_view content);
Result<AttachmentSettings> parse_attachment_dropin(const std::string &source,
                                                   std::string_view content);

Result<NfsRule> parse_rule_dropin(const std::string &source, std::string_view content);

// Returns the text of a file with the settings @after in place of those that it has. Its comments
// and the lines of other settings stay. Returns an error if the text could not be read again.
Result<std::string> edited_dropin(const Stored<ExportSettings> &stored,
                                  const ExportSettings &after);
Result<std::string> edited_dropin(const Stored<AttachmentSettings> &stored,
                                  const AttachmentSettings &after);

// Does the same for any such file, @place. @before and @after: texts of IniText. @reread: parses a
// text, and returns the one of IniText for it.
Result<std::string>
edited_file(const std::filesystem::path &place, const std::string &before, const std::string &after,
            const std::function<Result<std::string>(const std::string &)> &reread);

// Returns the path of the file that the command writes for these settings.
std::filesystem::path dropin_place(const Places &places, const ExportSettings &settings);
std::filesystem::path dropin_place(const Places &places, const AttachmentSettings &settings);
std::filesystem::path dropin_place(const Places &places, const NfsRule &rule);

// Returns all files of one kind. Returns an error only if the folder cannot be read.
Result<Folder<ExportSettings>> load_exports(const Places &places);
Result<Folder<AttachmentSettings>> load_attachments(const Places &places);
Result<Folder<NfsRule>> load_nfs_rules(const Places &places);

// Finds the settings of one object; none if there is no file for it. The name of an export's file
// is the export's name. An attachment is found by the content of its file, whatever its name.
Result<std::optional<Stored<ExportSettings>>> find_export(const Places &places,
                                                          const std::string &name);
Result<std::optional<Stored<AttachmentSettings>>> find_attachment(const Places &places,
                                                                  const DiskName &disk);

} // namespace causeway
