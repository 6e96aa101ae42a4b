import { describe, expect, test } from 'vitest';
import { toPlain, toTable, toVisible, toWidth } from '../src/render/plain.ts';

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
    ['ordinary words', 'Größe 12 → 3 ✓ 漢字', 'Größe 12 → 3 ✓ 漢字'],
  ])('%s', (_what, text, plain) => expect(toPlain(text)).toBe(plain));

  test('in a page they are shown as escapes, and lines stay lines', () => {
    expect(toVisible('a\u001b]0;x\u0007\n\tb\u202e')).toBe('a\\u001b]0;x\\u0007\n\tb\\u202e');
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
