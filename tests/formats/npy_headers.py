"""Makes .npy headers: as NumPy writes them, as our grammar allows them, with odd parts, and mutated."""

import ast
import io
import struct

import numpy as np

MAGIC = b"\x93NUMPY"
KINDS = ["|b1", "|i1", "|u1"] + [
    f"{order}{kind}"
    for order in "<>"
    for kind in ("i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "b1", "i1", "u1")
]
UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]
# What other writers, other languages and vandals put in each place.
ODD_DESCRS = [
    "'|O'",
    "'O'",
    "'<O8'",
    "[('a', '|O')]",
    "'<i3'",
    "'<f5'",
    "4",
    "None",
    "True",
    "b'<i4'",
    "('<i4',)",
    "''",
    "'?<'",
    "'<M8[xyz]'",
    "'i4'",
    "'int32'",
    "'=i4'",
    "'!i4'",
    "'<i' '4'",
    "u'<i4'",
    "r'<i4'",
    "'4S'",
    "'<i4,<i4'",
    "'(2,)<i2'",
    "'<i04'",
    "'< i4'",
    "'<i4 '",
    "'|i4'",
    "'<I'",
    "'<l'",
    "'<M4'",
    "'M8[s]'",
    "'<M8[0s]'",
    "'<M8[1s]'",
    "'<M8[]'",
    "'<M8[s'",
    "'<M8[25]'",
    "'<M8[generic]'",
    "'<M8[2147483648s]'",
    "'<M8[us/3]'",
    "'<m8[s]x'",
    "[('a', '<i4')]",
    "[('', '<i4')]",
    "[('a', '<i2', (2,))]",
    "[(('t', 'a'), '<i4')]",
    "[]",
    "{'names': ['a'], 'formats': ['<i4']}",
    "'<f12'",
    "'>f16'",
    "'<c24'",
    "'<S'",
    "'|S2147483648'",
    "'<U536870912'",
    "'|V99999999999999999999'",
    "'<V-1'",
    "'<S+4'",
    "'<U 3'",
    "'<a4'",
    "'<n4'",
    "'|T16'",
    "'<?'",
    "'<e2'",
    "'<d8'",
    "'\\x3ci4'",
    "'\\u003ci4'",
    "'\\74i4'",
    "'\\N{LESS-THAN SIGN}i4'",
    "'''<i4'''",
    "\"<i4'",
    "'<i4\\\n'",
    "'<i\t4'",
    "'\0'",
    "'|M8[s]'",
]
ODD_TRUTHS = [
    "0",
    "1",
    "None",
    "'False'",
    "false",
    "not True",
    "[]",
    "(False,)",
    "(False)",
    "TRUE",
    "True.real",
    "True\0",
    "Fals\u0435",
]
ODD_SHAPES = [
    "(-1,)",
    "(2, -3)",
    "(True, 6)",
    "(2.0, 3)",
    "[2, 3]",
    "6",
    "(6)",
    "'6'",
    "None",
    "(2 * 3,)",
    "(2, 3",
    "(1e1,)",
    "(,)",
    "(2,,3)",
    "(2 3)",
    "(np.int64(6),)",
    "(int(6),)",
    "(06,)",
    "('6',)",
    "((6,),)",
    "(2j,)",
    "(9223372036854775808,)",
    "(99999999999999999999,)",
    "(4611686018427387904, 4, 4)",
    "(--6,)",
    "(6,) # six",
    "(4294967296, 4294967296)",
    "range(6)",
    "(6,)[:]",
    "(*(6,),)",
    "((2, 3))",
    "(+6,)",
    "(0x6,)",
    "(0b110,)",
    "(6_0,)",
    "(00,)",
    "(6L,)",
    "(2L, 3L)",
    "(6l,)",
    "(6 L,)",
    "(6LL,)",
    "(L,)",
    "(2,\t3)",
    "(2,\n3)",
    "(2,\\\n3)",
    "(6,\x0c)",
    "(\u0666,)",
    "(0o6,)",
    "(6U,)",
    "(0, 9223372036854775807)",
    "(0, 4611686018427387904, 8)",
    "(1,) * 6",
    "(-0,)",
    "(6,\xa0)",
    "(1.,)",
    "(6if 1else 0,)",
    "(0L,)",
    "(0, 0, 0)",
    "(0xL,)",
]
ODD_KEYS = [
    "descr",
    "'Descr'",
    "b'descr'",
    "'descr '",
    "('descr',)",
    "1",
    "u'descr'",
    "'\\x64escr'",
    "'de' 'scr'",
    "r'descr'",
    "'shape'",
    "'x'",
]
ODD_FRAMES = [
    "{{{a}: {d}, {b}: {o}, {c}: {s}",
    "{a}: {d}, {b}: {o}, {c}: {s}",
    "{{{a}: {d}, {b}: {o}}}",
    "{{{a}: {d}, {c}: {s}}}",
    "{{}}",
    "",
    "{{{a}: {d}, {b}: {o}, {c}: {s}, 'x': 1}}",
    "{{{a}: {d}, {b}: {o}, {c}: {s}}} {{}}",
    "[{a}, {d}, {b}, {o}, {c}, {s}]",
    "{{{a}: {d},, {b}: {o}, {c}: {s}}}",
    "{{, {a}: {d}, {b}: {o}, {c}: {s}}}",
    "{{{a}: {d} {b}: {o} {c}: {s}}}",
    "{{{a}= {d}, {b}= {o}, {c}= {s}}}",
    "{{{a}: {d}, {a}: {d}, {b}: {o}, {c}: {s}}}",
    "{{{a}: {d}, {b}: {o}, {c}: {s}}}\0",
    "{{**{{}}, {a}: {d}, {b}: {o}, {c}: {s}}}",
    "({{{a}: {d}, {b}: {o}, {c}: {s}}})",
    "{{{a}: {d}, {b}: {o}, {c}: {s}}} # done",
    "{{{a}: {d},\n{b}: {o},\n{c}: {s}}}",
    "\t{{{a}: {d}, {b}: {o}, {c}: {s}}}",
    "\n{{{a}: {d}, {b}: {o}, {c}: {s}}}",
    "{{{a}: {d}, {b}: {o}, {c}: {s}}}\t",
    "{{{a}: {d}, {b}: {o}, {c}: {s}}},",
    "{{{a}: {d}, {b}: {o}, {c}: {s}}}\n\n",
    "\ufeff{{{a}: {d}, {b}: {o}, {c}: {s}}}",
    "{{{a}: {d}, {b}: {o}, {c}: {s},,}}",
    "{{{a}: {d}; {b}: {o}; {c}: {s}}}",
]
MUTANTS = b"{}()[]'\",:<>|=0123456789iufcbOSUVML -+._#\\\n\t\0xTFx\xe9\xd0\xbf"


def spaces(rng):
    return " " * rng.choice((0, 0, 0, 1, 1, 2, 5))


def good_descr(rng):
    draw = rng.random()
    if draw < 0.6:
        text = rng.choice(KINDS)
    elif draw < 0.75:
        text = rng.choice(("<M8", ">M8", "<m8", ">m8")) + rng.choice(
            ("", f"[{rng.choice(UNITS)}]", f"[{rng.randint(2, 3000)}{rng.choice(UNITS)}]")
        )
    elif draw < 0.97:
        text = rng.choice(("|S", "<S", ">S", "|V", "<V", "<U", ">U")) + str(
            rng.choice((0, 1, 3, 17, 4096, rng.randint(0, 10**5)))
        )
    else:
        text = {16: "<f16", 12: "<f12", 8: "<f8"}[np.dtype(np.longdouble).itemsize]
    quote = rng.choice("'\"")
    return quote + text + quote


def good_shape(rng, version):
    long = "L" if version < 3 and rng.random() < 0.03 else ""
    ndim = rng.choice((0, 1, 1, 2, 2, 3, 4, rng.randint(5, 64)))
    extents = [
        str(rng.choice((0, 1, 2, 3, 7, rng.randint(0, 50), rng.randint(0, 10**4)) if ndim < 4 else (0, 1, 1, 1, 2)))
        + long
        for _ in range(ndim)
    ]
    comma = "," if ndim == 1 or (ndim and rng.random() < 0.2) else ""
    return "(" + spaces(rng) + ("," + spaces(rng)).join(extents) + comma + spaces(rng) + ")"


def quoted(rng, name):
    quote = rng.choice("'''\"")
    return quote + name + quote


def good_frame(rng, parts):
    parts = list(parts)
    rng.shuffle(parts)
    items = [f"{spaces(rng)}{key}{spaces(rng)}:{spaces(rng)}{value}{spaces(rng)}" for key, value in parts]
    return spaces(rng) + "{" + ",".join(items) + rng.choice(("", ",", ", ")) + "}" + spaces(rng)


def generated(rng, version):
    """A text, and whether our grammar promises to take it: most parts are good, so that a bad one decides."""
    promised = True

    def part(odds, good, odd):
        nonlocal promised
        if rng.random() >= odds:
            return good()
        promised = False
        return rng.choice(odd)

    descr = part(0.15, lambda: good_descr(rng), ODD_DESCRS)
    truth = part(0.06, lambda: rng.choice(("True", "False")), ODD_TRUTHS)
    shape = part(0.15, lambda: good_shape(rng, version), ODD_SHAPES)
    keys = [part(0.02, lambda name=name: quoted(rng, name), ODD_KEYS) for name in ("descr", "fortran_order", "shape")]
    if rng.random() < 0.1:
        promised = False
        return rng.choice(ODD_FRAMES).format(a=keys[0], b=keys[1], c=keys[2], d=descr, o=truth, s=shape), promised
    return good_frame(rng, zip(keys, (descr, truth, shape), strict=True)), promised


def mutated(rng):
    """A good header with one to three of its bytes changed, left out or doubled."""
    text = bytearray(
        good_frame(
            rng, (("'descr'", good_descr(rng)), ("'fortran_order'", "False"), ("'shape'", good_shape(rng, 1)))
        ).encode()
    )
    for _ in range(rng.randint(1, 3)):
        at, how = rng.randrange(len(text)), rng.randrange(3)
        if how == 0:
            text[at] = rng.choice(MUTANTS)
        elif how == 1:
            del text[at]
        else:
            text.insert(at, text[at])
    return bytes(text)


def written(rng):
    """A header as NumPy writes it."""
    dtype = np.dtype(ast.literal_eval(good_descr(rng)))
    shape = ast.literal_eval(good_shape(rng, 3))
    buffer = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        buffer, {"descr": dtype.str, "fortran_order": rng.random() < 0.3, "shape": shape}
    )
    return buffer.getvalue()


def framed(rng, text, version):
    newline = b"\n" if rng.random() < 0.75 else b""
    text += b" " * rng.choice((0, 0, 1, 7, 54, 200)) + newline
    field = struct.pack("<H" if version == 1 else "<I", len(text))
    return MAGIC + bytes((version, 0)) + field + text


def case(rng):
    """Bytes of a header, whether it must be accepted, and whether NumPy wrote it."""
    version = rng.choice((1, 1, 2, 3))
    draw = rng.random()
    if draw < 0.05:
        return written(rng), True, True
    if draw < 0.3:
        return framed(rng, mutated(rng), version), False, False
    text, promised = generated(rng, version)
    encoding = "utf-8" if version == 3 or not text.isascii() else "latin-1"
    return framed(rng, text.encode(encoding), version), promised, False
