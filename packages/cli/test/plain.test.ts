import { describe, expect, test, vi } from 'vitest';
import { printJson } from '../src/output.ts';
import { toPlain, toTable, toVisible, toWidth, toWrapped } from '../src/render/plain.ts';

describe('native text on a terminal', () => {
  test.each([
    ['colours', '\u001b[31mred\u001b[0m', 'red'],
    ['a title (OSC ended by BEL)', 'a\u001b]0;owned\u0007b', 'ab'],
    ['a link (OSC ended by ST)', '\u001b]8;;http://x.invalid\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['the clipboard (OSC 52, never ended)', 'a\u001b]52;c;ZWNobw==', 'a'],
    ['one-byte CSI and OSC', '\u009b31mred\u009d0;owned\u009c!', 'red!'],
    ['DCS', 'a\u001bP+q544e\u001b\\b', 'ab'],
    ['line ends and tabs', 'a\r\nb\tc\u2028d', 'a b c d'],
    ['bell, backspace, null', 'a\u0007\b\u0000b', 'ab'],
    ['turned writing', 'user\u202etxt.exe', 'usertxt.exe'],
    ['what cannot be seen', 'a\u200b\u2066b\ufeff', 'ab'],
    ['letters of tags, soft hyphens, fillers', 'a\u{e0041}\u00adb\u3164c\u034fd\u180ee\ufff9f', 'abcdef'],
    ['a sign and its look', '⚠\ufe0f', '⚠\ufe0f'],
    ['ordinary words', 'Größe 12 → 3 ✓ 漢字', 'Größe 12 → 3 ✓ 漢字'],
  ])('%s', (_what, text, plain) => expect(toPlain(text)).toBe(plain));

  test('in a page they are shown as escapes, and lines stay lines', () => {
    expect(toVisible('a\u001b]0;x\u0007\n\tb\u202e')).toBe('a\\u001b]0;x\\u0007\n\tb\\u202e');
    expect(toVisible('\u{e0041}')).toBe('\\udb40\\udc41');
  });

  test('lines are cut to the terminal, wide characters counted as two, and never without one', () => {
    expect(toWidth('a'.repeat(50), 20)).toBe(`${'a'.repeat(19)}…`);
    expect(toWidth('漢'.repeat(20), 20)).toBe(`${'漢'.repeat(9)}…`);
    expect(toWidth('a'.repeat(500), undefined)).toHaveLength(500);
    expect(
      toTable(
        [
          ['A', 'B'],
          ['aaa', 'b'],
        ],
        undefined,
      ),
    ).toEqual(['A    B', 'aaa  b']);
  });
});

test('as JSON it is the same value, and nothing that a terminal acts upon', () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const value = { text: 'a\u001b[2J\u009b31m\u007f\u202e\u{e0041}\n"ö"' };
  try {
    printJson(value);
    const text = String(write.mock.calls[0]?.[0]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u{e0041}]/u);
    expect(JSON.parse(text)).toEqual(value);
  } finally {
    write.mockRestore();
  }
});

test('lines are broken at words, and a word that is longer than the line stays whole', () => {
  expect(toWrapped('  label   one two three four', 16, '          ')).toEqual([
    '  label   one',
    '          two',
    '          three',
    '          four',
  ]);
  expect(toWrapped('say /a/path/that/is/to/be/copied now', 12)).toEqual(['say', '/a/path/that/is/to/be/copied', 'now']);
  expect(toWrapped('a b'.repeat(50), undefined)).toEqual(['a b'.repeat(50)]);
});
