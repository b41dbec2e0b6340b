import { expect, test } from 'vitest';
import { diskIn } from './logspaces';

test('the disk is read from the metrics', () => {
  const metrics =
    '# TYPE logstead_disk_bytes gauge\nlogstead_disk_bytes 100\nlogstead_disk_free_bytes 40\n';
  expect(diskIn(metrics)).toEqual({ totalBytes: 100, freeBytes: 40 });
  expect(diskIn('logstead_disk_bytes 100\n')).toBeNull();
});
