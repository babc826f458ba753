import { expect, test } from "vitest";
import { shebangProgram } from "./shebang.ts";

test.each([
  ["#!/bin/sh", "sh"],
  ["#!/bin/sh -eu", "sh"],
  ["#! /bin/sh", "sh"],
  ["#!/usr/bin/python3 -I", "python3"],
  ["#!/usr/bin/python3 -W error", "python3"],
  ["#!/usr/bin/env python3", "python3"],
  ["#!/usr/bin/env -S LANG=C python3 -I", "python3"],
  ["# a comment", undefined],
  ["#!", undefined],
  ["", undefined],
])("the first line %o names the program %o", (line, program) => {
  expect(shebangProgram(line)).toBe(program);
});
