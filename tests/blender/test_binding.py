#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 Toile contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares plugin/blender/binding.py with the C headers.

Structs: names and order of the fields as the headers read, then size, offset and type of each as
the C compiler sees them. Functions: result and arguments of every prototype. Constants: values.
Needs gcc (or $CC) and numpy; knows nothing of Blender."""

import ctypes
import importlib.util
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
REPO = os.path.dirname(os.path.dirname(HERE))
INCLUDES = ("core/include", "io/include", "plugin/session/include")
HEADERS = (
    "toile/base.h",
    "toile/types.h",
    "toile/sim.h",
    "toile_io/fabric.h",
    "toile_session/session.h",
)

failures = []


def check(condition, text):
    if not condition:
        failures.append(text)
        print("FAILED:", text)


def load_binding():
    path = os.path.join(REPO, "plugin", "blender", "binding.py")
    spec = importlib.util.spec_from_file_location("binding", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def header_text():
    text = ""
    for header in HEADERS:
        for folder in INCLUDES:
            path = os.path.join(REPO, folder, header)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    text += re.sub(r"/\*.*?\*/", " ", file.read(), flags=re.S)
    return re.sub(r"\s+", " ", text)


def header_fields(text, struct):
    """The names of the fields in order."""
    body = re.search(r"typedef struct %s \{(.*?)\} %s;" % (struct, struct), text)
    assert body, f"no struct {struct} in the headers"
    names = []
    for line in body.group(1).split(";"):
        if line.strip():
            pointer = re.search(r"\(\*(\w+)\)", line)
            last = pointer or re.search(r"(\w+) ?(?:\[\w+\])?$", line.strip())
            names.append(last.group(1))
    return names


# what C calls a field, by _Generic; arrays are their element's pointer
C_TYPES = {
    "int32_t": "i32",
    "uint32_t": "u32",
    "int64_t": "i64",
    "double": "double",
    "char *": "char*",
    "const char *": "char*",
    "double *": "double*",
    "const double *": "double*",
    "const float *": "float*",
    "const int32_t *": "i32*",
    "void *": "void*",
}


def python_type(kind, binding):
    """The same word for a ctypes type."""
    simple = {
        ctypes.c_int32: "i32",
        ctypes.c_uint32: "u32",
        ctypes.c_int64: "i64",
        ctypes.c_double: "double",
        ctypes.c_float: "float",
        ctypes.c_char: "char",
        ctypes.c_char_p: "char*",
        ctypes.c_void_p: "void*",
        binding.LogWrite: "function",
        binding.ProgressReport: "function",
    }
    if kind in simple:
        return simple[kind]
    for name, struct in binding.STRUCTS.items():
        if kind is struct:
            return name
    if issubclass(kind, (ctypes.Array, ctypes._Pointer)):
        return python_type(kind._type_, binding) + "*"
    return repr(kind)


def compile_and_run(binding):
    """Lines "struct size" and "struct.field offset size type" from the compiler."""
    cases = "".join(f'    {c}: "{word}", \\\n' for c, word in C_TYPES.items())
    for name in binding.STRUCTS:
        cases += f'    {name}: "{name}", const {name} *: "{name}*", \\\n'
    source = '#include "toile/toile.h"\n#include "toile_io/fabric.h"\n'
    source += '#include "toile_session/session.h"\n#include <stdio.h>\n'
    source += f"#define WORD(x) _Generic((x), \\\n{cases}    default: \"function\")\n"
    source += "int main(void) {\n"
    for name, struct in binding.STRUCTS.items():
        source += f'    printf("{name} %zu\\n", sizeof({name}));\n'
        for field in struct._fields_:
            source += (
                f'    printf("{name}.{field[0]} %zu %zu %s\\n", offsetof({name}, {field[0]}), '
                f"sizeof((({name} *)0)->{field[0]}), WORD((({name} *)0)->{field[0]}));\n"
            )
    source += "    return 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "layout.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        include = [f"-I{os.path.join(REPO, folder)}" for folder in INCLUDES]
        binary = os.path.join(folder, "layout")
        # only layouts are asked for, so the inline defaults may stay unresolved
        flags = ["-std=c11", "-O1", "-w"]
        compiler = os.environ.get("CC", "gcc")
        subprocess.run([compiler, *flags, *include, path, "-o", binary], check=True)
        output = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return {line.split()[0]: line.split()[1:] for line in output.splitlines()}


def test_structs(binding, text):
    layout = compile_and_run(binding)
    count = 0
    for name, struct in binding.STRUCTS.items():
        names = [field[0] for field in struct._fields_]
        wanted = header_fields(text, name)
        check(names == wanted, f"{name} has fields {names}, the header {wanted}")
        size = int(layout[name][0])
        check(ctypes.sizeof(struct) == size, f"{name} is {ctypes.sizeof(struct)} bytes, not {size}")
        for field, kind in struct._fields_:
            offset, size, word = layout[f"{name}.{field}"]
            found = getattr(struct, field)
            here = (found.offset, found.size, python_type(kind, binding))
            there = (int(offset), int(size), word)
            check(here == there, f"{name}.{field} is {here}, in C {there}")
            count += 1
    print(f"{len(binding.STRUCTS)} structs, {count} fields: names, order, size, offset, type")


def c_word(declaration):
    """The word of a parameter or result as C writes it."""
    declaration = declaration.replace("const ", "").strip()
    array = "[" in declaration
    declaration = re.sub(r"\[.*?\]", "", declaration)
    match = re.match(r"(\w+) ?(\**) ?\w*$", declaration)
    base, stars = match.group(1), match.group(2) + ("*" if array else "")
    enums = {"ToileStatus": "i32"}
    plain = {"int32_t": "i32", "uint32_t": "u32", "bool": "bool"}
    base = enums.get(base) or plain.get(base) or base
    if base == "ToileSession":
        base, stars = "void*", stars[1:]
    return base + stars


def test_functions(binding, text):
    for name, (result, arguments) in binding.FUNCTIONS.items():
        match = re.search(r"TOILE_API ([\w ]+?\**) ?%s\((.*?)\);" % name, text)
        check(match, f"{name} is not in the headers")
        if not match:
            continue
        parameters = [] if match.group(2) == "void" else match.group(2).split(",")
        there = [c_word(match.group(1) + " x")] + [c_word(part) for part in parameters]
        words = [
            (
                "void"
                if kind is None
                else "bool" if kind is ctypes.c_bool else python_type(kind, binding)
            )
            for kind in [result, *arguments]
        ]
        check(words == there, f"{name} is {words}, in C {there}")
    print(f"{len(binding.FUNCTIONS)} functions: result and arguments")


def header_constants(text):
    constants = {}
    for body in re.findall(r"typedef enum \w+ \{(.*?)\}", text):
        value = -1
        for part in body.split(","):
            if not part.strip():
                continue
            name, _, given = (piece.strip() for piece in part.partition("="))
            value = int(given) if given else value + 1
            constants[name] = value
    return constants


def test_constants(binding, text):
    there = header_constants(text)
    here = {name: value for name, value in vars(binding).items() if name.startswith("TOILE_")}
    for name, value in here.items():
        check(there.get(name) == value, f"{name} is {value}, in C {there.get(name)}")
    print(f"{len(here)} constants: values")


def main():
    binding = load_binding()
    text = header_text()
    test_structs(binding, text)
    test_functions(binding, text)
    test_constants(binding, text)
    if failures:
        sys.exit(f"test_binding: {len(failures)} differences from the headers")


main()
