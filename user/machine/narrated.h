// SPDX-License-Identifier: GPL-2.0-or-later
// Parts of the World that narrate what they do (base/narration.h), and leave the work to others.
#pragma once

#include "machine/kernel_files.h"
#include "machine/processes.h"
#include "machine/rdma_links.h"

namespace causeway {

class NarratedProcesses final : public Processes {
  public:
    explicit NarratedProcesses(Processes &real) : real_(real) {}

    bool there(const std::string &program) override { return real_.there(program); }
    Result<ProcessEnd> run(const std::vector<std::string> &words,
                           std::optional<std::chrono::seconds> limit) override;
    std::vector<Result<ProcessEnd>> run_together(const std::vector<std::vector<std::string>> &lines,
                                                 std::chrono::seconds limit) override;
    Result<bool> go_to_background() override;
    Result<void> become(const std::vector<std::string> &words,
                        const std::vector<std::pair<std::string, std::string>> &variables) override;

  private:
    Processes &real_;
};

class NarratedKernelFiles final : public KernelFiles {
  public:
    explicit NarratedKernelFiles(KernelFiles &real) : real_(real) {}

    Result<std::optional<std::string>> read(const std::string &path) override;
    Result<void> write(const std::string &path, const std::string &text) override;
    std::vector<std::string> list(const std::string &path) override;
    bool has_folder(const std::string &path) override { return real_.has_folder(path); }
    Result<void> make_folder(const std::string &path) override;
    Result<void> remove_folder(const std::string &path) override;
    Result<void> make_link(const std::string &path, const std::string &target) override;
    Result<void> remove_link(const std::string &path) override;

  private:
    KernelFiles &real_;
};

class NarratedRdmaLinks final : public RdmaLinks {
  public:
    explicit NarratedRdmaLinks(RdmaLinks &real) : real_(real) {}

    Result<void> add(const std::string &type, const std::string &device,
                     const std::string &netdev) override;
    Result<void> remove(const std::string &device) override;
    Result<void> rename(const std::string &device, const std::string &name) override;

  private:
    RdmaLinks &real_;
};

} // namespace causeway
