import decodeQR from 'qr/decode.js';
import { expect, test } from 'vitest';
import { drawing } from './Enrolment';

const SCALE = 4;

/** The squares as seen by a camera. */
function pixels({ size, path }: { size: number; path: string }) {
  const width = size * SCALE;
  const data = new Uint8Array(width * width * 4).fill(255);
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)/g)) {
    for (let row = 0; row < SCALE; row += 1)
      for (let column = 0; column < SCALE; column += 1) {
        const at = ((Number(y) * SCALE + row) * width + Number(x) * SCALE + column) * 4;
        data.set([0, 0, 0, 255], at);
      }
  }
  return { width, height: width, data };
}

test('what is drawn is read as it was written', () => {
  const uri =
    'otpauth://totp/Logstead%3Aana%20on%20logs.example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Logstead';
  expect(decodeQR(pixels(drawing(uri)))).toBe(uri);
});
