import { expect, test } from 'vitest';
import { toolbarRoom } from './Actions';
import { tookText } from './Toolbar';

const coverage = {
  complete: true,
  segments: 1200,
  journal_batches: 3,
  scanned_messages: 1,
  skipped_batches: 0,
  skipped_segments: 0,
  unindexed_segments: 0,
  blocks: 0,
  scanned_bytes: 0,
};

test('rows and counts each say how long they took', () => {
  expect(tookText({ took_ms: 0, coverage }, 12)).toBe(
    'Found in less than 1 ms, counted in 12 ms: searched 1\u202f200 segments and 3 batches, ' +
      'read 1 message one by one.',
  );
  expect(tookText({ took_ms: 7, coverage })).toMatch(/^Found in 7 ms: /);
});

test('the toolbar says less the less room there is', () => {
  expect([0, 1400, 700, 560].map(toolbarRoom)).toEqual(['words', 'words', 'signs', 'little']);
});
