import { describe, expect, it } from "vitest";
import { isName, isRefName } from "../../src/core/names.ts";

describe("a namespace or repo", () => {
  it.each([
    ["a letter", "a"],
    ["a digit", "7"],
    ["every kind of character", "Az09._-"],
    ["coordinator", "coordinator"],
    ["global", "global"],
    ["constructor", "constructor"],
    ["dots at its end", "a.."],
    ["128 characters", "x".repeat(128)],
  ])("may be %s", (_, name) => {
    expect(isName(name)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["129 characters", "x".repeat(129)],
    ["10 KB", "x".repeat(10_240)],
    ["a first dot", ".a"],
    ["a first dash", "-a"],
    ["__proto__, which begins with an underscore", "__proto__"],
    ["a slash", "a/b"],
    ["a backslash", "a\\b"],
    ["a space", "a b"],
    ["a space at its end", "a "],
    ["a line feed at its end", "a\n"],
    ["a NUL", "a\0"],
    ["a colon", "a:b"],
    ["a percent sign", "a%2Fb"],
    ["a quote", 'a"b'],
    ["a letter that is not ASCII", "caf\u00e9"],
    ["a Kelvin sign", "\u212a"],
    ["a lone surrogate", "a\ud800"],
  ])("must not be or have %s", (_, name) => {
    expect(isName(name)).toBe(false);
  });
});

describe("a ref", () => {
  it.each([
    "refs/a",
    "refs/heads/main",
    "refs/heads/feature/x",
    "refs/tags/v1.0.0",
    "refs/@",
    "refs/heads/@",
    "refs/heads/a@b",
    "refs/heads/a{b}",
    "refs/heads/{a}@",
    "refs/heads/-a",
    "refs/heads/a.b",
    "refs/heads/a./b",
    "refs/heads/lock",
    "refs/heads/a.lockx",
    "refs/heads/a.LOCK",
    "refs/heads/HEAD",
    "refs/heads/refs/heads",
    'refs/heads/"quoted"',
    "refs/heads/a]b",
    "refs/heads/a!$%&'()+,;=|<>`#",
    "refs/heads/__proto__",
    "refs/heads/coordinator",
    "refs/heads/global",
    "refs/heads/f\u00e9ature",
    "refs/heads/fe\u0301ature",
    "refs/heads/\u0085",
    "refs/heads/\u{1f680}",
    "refs/heads/\ufeffmain",
  ])("may be %j", (ref) => {
    expect(isRefName(ref)).toBe(true);
  });

  it.each([
    ["nothing", ""],
    ["no refs/ before it", "heads/main"],
    ["refs/ in capitals", "Refs/heads/main"],
    ["nothing after refs", "refs"],
    ["nothing after refs/", "refs/"],
    ["a slash before it", "/refs/heads/main"],
    ["a slash at its end", "refs/heads/main/"],
    ["two slashes together", "refs//heads"],
    ["a component that begins with a dot", "refs/heads/.a"],
    ["an inner component that begins with a dot", "refs/.a/b"],
    ["a component that is a dot", "refs/heads/./a"],
    ["two dots together", "refs/heads/a..b"],
    ["a component of two dots", "refs/../a"],
    ["a dot at its end", "refs/heads/a."],
    [".lock at its end", "refs/heads/a.lock"],
    [".lock at the end of an inner component", "refs/heads/a.lock/b"],
    ["a component that is .lock", "refs/heads/.lock"],
    ["@{", "refs/heads/a@{b"],
    ["@{ at its end", "refs/heads/@{"],
    ["a space", "refs/heads/a b"],
    ["a tilde", "refs/heads/a~b"],
    ["a caret", "refs/heads/a^b"],
    ["a colon", "refs/heads/a:b"],
    ["a question mark", "refs/heads/a?b"],
    ["an asterisk", "refs/heads/a*b"],
    ["an opening bracket", "refs/heads/a[b"],
    ["a backslash", "refs/heads/a\\b"],
    ["a DEL", "refs/heads/a\u007fb"],
    ["a high surrogate alone", "refs/heads/\ud800"],
    ["a low surrogate alone", "refs/heads/\udc00a"],
    ["surrogates in the wrong order", "refs/heads/\udc00\ud800"],
  ])("must not be or have %s", (_, ref) => {
    expect(isRefName(ref)).toBe(false);
  });

  it("must not have any control character", () => {
    const controls = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code));
    expect(controls.filter((control) => isRefName(`refs/heads/a${control}b`))).toEqual([]);
    expect(controls.filter((control) => isRefName(`refs/heads/a${control}`))).toEqual([]);
  });

  it.each([
    { of: "1-byte characters", unit: "x", bytes: 1 },
    { of: "2-byte characters", unit: "\u00e9", bytes: 2 },
    { of: "3-byte characters", unit: "\u20ac", bytes: 3 },
    { of: "4-byte characters", unit: "\u{1f680}", bytes: 4 },
  ])("may have 512 bytes of UTF-8 and not one more, in $of", ({ unit, bytes }) => {
    const count = Math.floor(507 / bytes);
    const longest = `refs/${unit.repeat(count)}${"x".repeat(507 - count * bytes)}`;
    expect(new TextEncoder().encode(longest).length).toBe(512);
    expect(isRefName(longest)).toBe(true);
    expect(isRefName(`${longest}x`)).toBe(false);
  });

  it("must not have 10 KB", () => {
    expect(isRefName(`refs/heads/${"x".repeat(10_240)}`)).toBe(false);
  });
});
