# SPDX-License-Identifier: GPL-2.0-or-later
"""The commands of a recipe are read from its page as a reader sees them."""

import types
import unittest

from using import documents, recipes

PAGE = """# Page

    server# before

## One disk

Text with `client# no command`.

    client# causeway attach server/data
    /dev/causeway/server/data
    client# mdadm --create /dev/md/mirror \\
                /dev/a
    client# cat > /tmp/x << 'EOF'
    <a/>
      (b)
    EOF

```
    client# not typed
```

    (server2 is away)
    client# causeway detach server/data
    causeway: cannot detach server/data: /dev/causeway... is mounted at ...
      umount ...

## Another

    server2# true
"""


def host(*answers):
    """Return a host that answers each command with the next (rc, output), and keeps the commands."""
    left, typed = list(answers), []

    def run(command, **_):
        typed.append(command)
        rc, out = left.pop(0) if left and not command.startswith("read ") else (0, "")
        return types.SimpleNamespace(rc=rc, out=out)

    return types.SimpleNamespace(name="client", run=run, agent=types.SimpleNamespace(scale=1), typed=typed)


class Steps(unittest.TestCase):
    def test_a_section_has_its_own_commands(self):
        steps = recipes.steps(PAGE, "One disk")
        self.assertEqual([(each.host, each.command, each.output) for each in steps], [
            ("client", "causeway attach server/data", ["/dev/causeway/server/data"]),
            ("client", "mdadm --create /dev/md/mirror /dev/a", []),
            ("client", "cat > /tmp/x << 'EOF'\n<a/>\n  (b)\nEOF", []),
            ("", "server2 is away", []),
            ("client", "causeway detach server/data",
             ["causeway: cannot detach server/data: /dev/causeway... is mounted at ...", "umount ..."])])
        self.assertEqual([each.refused for each in steps], [False, False, False, False, True])
        self.assertEqual([each.host for each in recipes.steps(PAGE, "Another")], ["server2"])

    def test_a_section_without_commands_is_a_mistake(self):
        self.assertRaises(KeyError, recipes.steps, PAGE, "One")
        self.assertRaises(ValueError, recipes.steps, "## Empty\n\ntext\n", "Empty")
        self.assertRaises(ValueError, recipes.steps, "## X\n\n    output\n", "X")

    def test_output_is_compared_line_by_line(self):
        said = "a\n  State : clean, degraded \nb [x]\n"
        self.assertIsNone(recipes.missing(["State : ...degraded", "b [x]"], said))
        self.assertEqual(recipes.missing(["b [x]", "a"], said), "a")
        self.assertEqual(recipes.missing(["State"], said), "State")
        self.assertEqual(recipes.missing(["b .x."], said), "b .x.")
        self.assertIsNone(recipes.missing(["State   :   clean..."], said))

    def test_each_page_has_recipes(self):
        for page, titles, framed in (("FIRST_HOUR.md", 12, {"Building the packages", "A recorded run", "Messages that were changed"}), ("RECIPES.md", 8, set()),
                                     ("VIRTUALISATION.md", 6, set())):
            self.assertIn(page, documents.RECIPES)
            text = (recipes.TOP / "docs" / page).read_text(encoding="utf-8")
            found = {line[3:] for line in text.splitlines() if line.startswith("## ")}
            self.assertEqual(len(found), titles)
            for title in found:
                if title in framed:
                    self.assertRaises(ValueError, recipes.steps, text, title)
                else:
                    self.assertTrue(recipes.steps(text, title))


class Typing(unittest.TestCase):
    def type_in(self, where, command, output=()):
        recipes.type_in(where, recipes.Step("client", command, list(output)))
        return [each for each in where.typed if not each.startswith("read ")]

    def test_a_command_has_to_end_as_the_page_says(self):
        self.type_in(host((0, "")), "umount /mnt")
        self.assertRaises(AssertionError, self.type_in, host((1, "")), "umount /mnt")
        self.assertRaises(AssertionError, self.type_in, host((0, "other")), "umount /mnt", ["done"])
        self.type_in(host((75, "causeway: no")), "causeway detach a/b", ["causeway: no"])
        self.assertRaises(AssertionError, self.type_in, host((0, "causeway: no")), "causeway detach a/b", ["causeway: no"])

    def test_the_exit_code_of_doctor_is_part_of_its_report(self):
        self.type_in(host((10, "warning: memlock-small")), "causeway doctor", ["..."])
        self.assertRaises(AssertionError, self.type_in, host((10, "")), "causeway doctor", ["..."])

    def test_only_a_query_is_typed_again(self):
        self.assertEqual(len(self.type_in(host((75, "it has clients"), (0, "")), "causeway export remove a")), 2)
        self.assertRaises(AssertionError, self.type_in, host((1, "not flushed"), (0, "")), "causeway export remove a")
        self.assertEqual(self.type_in(host((0, "1"), (0, "2")), "lsblk -n x", ["2"]), ["lsblk -n x"] * 2)
        one = host((0, "1"), (0, "2"))
        self.assertRaises(AssertionError, self.type_in, one, "causeway detach a/b", ["2"])
        self.assertEqual(len(one.typed), 1)


if __name__ == "__main__":
    unittest.main()
