#!/usr/bin/env python3
"""Writes Postern's numbering plan and the numbers of its tests, both from one release of libphonenumber's metadata.

    python3 -m venv /tmp/numbers && /tmp/numbers/bin/pip install phonenumbers==9.0.43
    /tmp/numbers/bin/python Tools/numbering_plan.py

The Python package `phonenumbers` carries that metadata. The release is the one that is installed; the written files name it.
"""

from functools import lru_cache
from pathlib import Path

import phonenumbers
from phonenumbers import COUNTRY_CODE_TO_REGION_CODE, PhoneMetadata, PhoneNumberType

ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "Sources/Project/NumberingPlan+Tables.swift"
SAMPLES = ROOT / "Tests/ProjectTests/NumberingPlanSamples.swift"
WIDTH = 128

# Codes of no country are not in the plan: they belong to satellites, premium services and toll-free numbers.
NO_COUNTRY = "001"

# Numbers that the metadata has in two regions. libphonenumber names the larger region; here they belong to the smaller one, to
# which they were allotted (Manx Telecom's mobile numbers, fixed lines of Western Sahara).
ALLOTTED = {"IM": "7924", "EH": "528[89]"}

# Patterns are expressions from which the next digit can be removed: None (nothing matches), END (the empty text), ("set", digits),
# ("cat", first, rest), ("alt", options).
END = ("end",)


def both(first, rest):
    if first is None or rest is None:
        return None
    if first == END:
        return rest
    if rest == END:
        return first
    if first[0] == "cat":
        return ("cat", first[1], both(first[2], rest))
    return ("cat", first, rest)


def either(options):
    flat = set()
    for option in options:
        flat |= option[1] if option is not None and option[0] == "alt" else {option}
    flat.discard(None)
    if len(flat) < 2:
        return next(iter(flat), None)
    return ("alt", frozenset(flat))


def parse(pattern):
    """Reads a pattern of the metadata: digits, classes, groups, alternatives and bounded repetition. Anything else is an error."""
    position = 0

    def peek():
        return pattern[position] if position < len(pattern) else ""

    def take(expected=None):
        nonlocal position
        character = peek()
        if character == "" or (expected is not None and character != expected):
            raise ValueError(f"{pattern!r} at {position}")
        position += 1
        return character

    def alternatives():
        options = [sequence()]
        while peek() == "|":
            take()
            options.append(sequence())
        return either(options)

    def sequence():
        parts = []
        while peek() not in ("", "|", ")"):
            parts.append(repeated(atom()))
        whole = END
        for part in reversed(parts):
            whole = both(part, whole)
        return whole

    def atom():
        character = take()
        if character == "(":
            take("?")
            take(":")
            group = alternatives()
            take(")")
            return group
        if character == "\\":
            take("d")
            return ("set", frozenset("0123456789"))
        if character == "[":
            digits = set()
            while peek() != "]":
                first = take()
                last = first
                if peek() == "-":
                    take()
                    last = take()
                digits |= {str(digit) for digit in range(int(first), int(last) + 1)}
            take("]")
            return ("set", frozenset(digits))
        return ("set", frozenset(str(int(character))))

    def repeated(part):
        low = high = 1
        if peek() == "?":
            take()
            low = 0
        elif peek() == "{":
            take()
            counts = ""
            while peek() != "}":
                counts += take()
            take("}")
            low, high = (int(count) for count in (counts.split(",") * 2)[:2])
        optional = END
        for _ in range(high - low):
            optional = either([END, both(part, optional)])
        whole = optional
        for _ in range(low):
            whole = both(part, whole)
        return whole

    whole = alternatives()
    if position < len(pattern):
        raise ValueError(f"{pattern!r} at {position}")
    return whole


@lru_cache(maxsize=None)
def after(expression, digit):
    """The rest of an expression after a digit."""
    if expression is None or expression == END:
        return None
    if expression[0] == "set":
        return END if digit in expression[1] else None
    if expression[0] == "alt":
        return either([after(option, digit) for option in expression[1]])
    rest = both(after(expression[1], digit), expression[2])
    return either([rest, after(expression[2], digit)]) if ends(expression[1]) else rest


@lru_cache(maxsize=None)
def ends(expression):
    """Whether the expression matches the empty text."""
    if expression is None or expression[0] == "set":
        return False
    if expression[0] == "alt":
        return any(ends(option) for option in expression[1])
    return expression == END or (ends(expression[1]) and ends(expression[2]))


@lru_cache(maxsize=None)
def lengths(expression):
    """The possible lengths of matching texts."""
    if expression is None:
        return frozenset()
    if expression == END:
        return frozenset([0])
    if expression[0] == "set":
        return frozenset([1])
    if expression[0] == "alt":
        return frozenset().union(*(lengths(option) for option in expression[1]))
    return frozenset(a + b for a in lengths(expression[1]) for b in lengths(expression[2]))


@lru_cache(maxsize=None)
def separable(one, other):
    """Whether beginnings alone distinguish the numbers of two expressions."""
    if one is None or other is None:
        return True
    if ends(one) or ends(other):
        return False
    return all(separable(after(one, digit), after(other, digit)) for digit in "0123456789")


def pattern(*descriptions):
    texts = [description.national_number_pattern for description in descriptions if description is not None]
    return either([parse(text) for text in texts if text])


class Region:
    """The metadata of a region."""

    def __init__(self, name):
        data = PhoneMetadata.metadata_for_region(name)
        self.name = name
        # The kinds of numbers that a person may have for a phone.
        self.ordinary = pattern(data.fixed_line, data.mobile, data.voip)
        self.premium = pattern(data.premium_rate)
        self.any = pattern(
            data.fixed_line, data.mobile, data.voip, data.premium_rate, data.toll_free, data.shared_cost, data.personal_number,
            data.pager, data.uan, data.voicemail,
        )
        self.leading = parse(data.leading_digits) if data.leading_digits else None
        self.allotted = parse(ALLOTTED[name]) if name in ALLOTTED else None


class Code:
    """The facts about a calling code, with its regions in the order in which a number is searched in them: the largest first."""

    def __init__(self, code, names):
        self.code = str(code)
        self.regions = [Region(name) for name in names]
        self.ordinary = either([region.ordinary for region in self.regions])
        self.premium = either([region.premium for region in self.regions])
        self.lengths = lengths(self.ordinary)
        self.has_leading_zero = after(self.ordinary, "0") is not None
        self.found = {}

    @property
    def main(self):
        return self.regions[0].name

    def start(self):
        return tuple((region.any, region.leading, region.allotted) for region in self.regions)

    @staticmethod
    def step(state, digit):
        # Leading digits decide for every number that begins with them.
        def seen(leading):
            return leading if ends(leading) else after(leading, digit)

        return tuple((after(any_, digit), seen(leading), seen(allotted)) for any_, leading, allotted in state)

    def owners(self, state):
        """The regions of all numbers that begin like this."""
        if state in self.found:
            return self.found[state]
        owners = frozenset()
        if any(any_ is not None for any_, _, _ in state):
            if any(ends(any_) for any_, _, _ in state):
                owners = frozenset([self.owner(state)])
            for digit in "0123456789":
                owners |= self.owners(self.step(state, digit))
        self.found[state] = owners
        return owners

    def owner(self, state):
        regions = list(zip(self.regions, state))
        allotted = (region.name for region, (any_, _, allotted) in regions if ends(allotted) and ends(any_))
        # libphonenumber decides by leading digits if a region has them, and otherwise by patterns.
        found = (region.name for region, (any_, leading, _) in regions if ends(leading if region.leading else any_))
        others = (region.name for region, (any_, _, _) in regions if ends(any_))
        return next(name for names in (allotted, found, others) for name in names)

    def prefixes(self):
        """The shortest beginnings, calling code included, after which all numbers belong to one of the smaller regions."""
        found = {}

        def walk(beginning, state):
            owners = self.owners(state)
            if len(owners) == 1:
                owner = next(iter(owners))
                if owner != self.main:
                    found.setdefault(owner, []).append(self.code + beginning)
            elif owners:
                for digit in "0123456789":
                    walk(beginning + digit, self.step(state, digit))

        if len(self.regions) > 1:
            walk("", self.start())
        return found

    def premium_beginnings(self):
        """The shortest beginnings after which there are premium-rate numbers and no ordinary ones, or none of that length."""
        found = []

        def walk(beginning, ordinary, premium):
            if premium is None:
                return
            if ordinary is None:
                found.append(beginning)
            elif beginning and not separable(ordinary, premium) and not lengths(ordinary) & lengths(premium):
                found.extend(f"{beginning}/{len(beginning) + length}" for length in sorted(lengths(premium)))
            else:
                if ends(ordinary) and ends(premium):
                    raise ValueError(f"+{self.code} {beginning} is both ordinary and premium")
                for digit in "0123456789":
                    walk(beginning + digit, after(ordinary, digit), after(premium, digit))

        walk("", self.ordinary, self.premium)
        return found


def ranges(numbers):
    """`5,7-9` for 5, 7, 8 and 9."""
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


def filled(words, indent):
    lines = [""]
    for word in words:
        if lines[-1] and len(indent) + len(lines[-1]) + 1 + len(word) > WIDTH:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return "\n".join(indent + line for line in lines)


def entries(named, indent):
    """Entries of a name and its values, behind each but the last of a line a semicolon."""
    lines = [""]
    for name, values in named:
        words = [name]
        for value in values:
            if len(indent) + len(" ".join(words)) + 1 + len(value) > WIDTH:
                lines += [" ".join(words), ""]
                words = [name]
            words.append(value)
        entry = " ".join(words)
        if lines[-1] and len(indent) + len(lines[-1]) + 2 + len(entry) > WIDTH:
            lines.append("")
        lines[-1] += ("; " if lines[-1] else "") + entry
    return "\n".join(indent + line for line in lines if line)


HEADER = """\
// Written by Tools/numbering_plan.py, not by hand. Derived from the metadata of libphonenumber {release}
// (https://github.com/google/libphonenumber, Copyright The Libphonenumber Authors, Apache License 2.0).
"""


def tables(codes, release):
    countries = [
        (code.code, [code.main, ranges(code.lengths)] + (["0"] if code.has_leading_zero else [])) for code in codes
    ]
    prefixes = [(name, values) for code in codes for name, values in code.prefixes().items()]
    premium = [(code.code, beginnings) for code in codes if (beginnings := code.premium_beginnings())]
    indent = " " * 8
    return HEADER.format(release=release) + f'''
extension NumberingPlan {{
    /// The release of the metadata that all tables are derived from.
    static let release = "{release}"

    /// Calling code, largest region, digits of fixed, mobile and VoIP numbers after the code; `0` when some begin with a zero.
    static let countryTable = """
        {release}
{entries(countries, indent)}
        """

    /// Regions that share a calling code with a larger one, and where their numbers begin.
    static let prefixTable = """
        {release}
{entries(prefixes, indent)}
        """

    /// Calling code, beginnings of its premium-rate numbers; `/` and a number of digits when the beginning alone is not enough.
    static let premiumTable = """
        {release}
{entries(premium, indent)}
        """
}}
'''


def samples(codes, release):
    ordinary, premium = [], []
    for code in codes:
        for region in code.regions:
            data = PhoneMetadata.metadata_for_region(region.name)
            numbers = []
            for description in (data.mobile, data.fixed_line, data.voip):
                number = description and description.example_number
                full = f"{code.code}{number}"
                if number and full not in numbers and belongs(full, region.name):
                    numbers.append(full)
            ordinary.append((region.name, numbers))
            number = data.premium_rate and data.premium_rate.example_number
            if number:
                premium.append(f"{code.code}{number}")
    indent = " " * 8
    return HEADER.format(release=release) + f'''
/// Example numbers as libphonenumber has them.
enum NumberingPlanSamples {{
    static let release = "{release}"

    /// Regions, each with a mobile, a fixed and a VoIP number that libphonenumber takes for its own.
    static let ordinary = """
{entries([entry for entry in ordinary if entry[1]], indent)}
        """

    /// Premium-rate numbers, one for each region that has any.
    static let premium = """
{filled(dict.fromkeys(premium), indent)}
        """
}}
'''


def belongs(full, region):
    number = phonenumbers.parse(f"+{full}")
    ordinary = (
        PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE_OR_MOBILE, PhoneNumberType.VOIP,
    )
    return phonenumbers.region_code_for_number(number) == region and phonenumbers.number_type(number) in ordinary


def main():
    release = phonenumbers.__version__
    known = sorted(COUNTRY_CODE_TO_REGION_CODE.items())
    codes = [Code(code, names) for code, names in known if NO_COUNTRY not in names]
    TABLES.write_text(tables(codes, release))
    SAMPLES.write_text(samples(codes, release))
    print(f"Wrote {TABLES.relative_to(ROOT)} and {SAMPLES.relative_to(ROOT)} from libphonenumber {release}.")


if __name__ == "__main__":
    main()
