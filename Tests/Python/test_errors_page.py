"""The page of errors against the table of the SDK."""

import pathlib
import re
import unittest

from firebase_admin import _auth_utils

PAGE = pathlib.Path(__file__).parents[2] / "Docs/Errors.md"


class ErrorsPage(unittest.TestCase):
    def test_the_exceptions_of_this_sdk(self):
        page = PAGE.read_text(encoding="utf-8")
        described = set(re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE))
        table = page.partition("## The Admin SDK for Python")[2]
        shown = {}
        for codes, exception in re.findall(r"^\| (`.+`) \| `(\w+)` \|$", table, re.MULTILINE):
            shown |= {code: exception for code in re.findall(r"[A-Z_]+", codes)}
        known = {code: exception.__name__ for code, exception in _auth_utils._CODE_TO_EXC_TYPE.items()}
        # Codes that Postern does not send are no rows of the page.
        self.assertEqual(shown, {code: exception for code, exception in known.items() if code in described})
