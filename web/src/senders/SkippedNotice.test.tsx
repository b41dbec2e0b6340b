import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Senders, SkippedSender } from '../api/model';
import { renderPart } from '../test-render';
import { SkippedNotice } from './SendersPage';

function show(skipped: SkippedSender[], leftOut = 0) {
  const senders = { skipped, skipped_left_out: leftOut } as unknown as Senders;
  renderPart(<SkippedNotice {...senders} />);
}

function sender(host: string, reasons: SkippedSender['reasons']): SkippedSender {
  return { source: 'syslog', host, reasons } as SkippedSender;
}

test('who sent bytes that no message holds is named, with a way to the sender', () => {
  show([sender('192.0.2.1', { out_of_step: 2048 })], 1024);
  expect(screen.getByText('Not understood: 2.0 KiB')).toBeVisible();
  expect(screen.getByRole('link', { name: '192.0.2.1' })).toHaveAttribute(
    'href',
    '/senders?source=syslog&host=192.0.2.1',
  );
  expect(screen.getByText('and 1.0 KiB of addresses that are not listed')).toBeVisible();
});

test('what was cut from messages is not among them, and many are counted', () => {
  const hosts = ['a', 'b', 'c', 'd', 'e'].map((host) => sender(host, { out_of_step: 10 }));
  show([...hosts, sender('long', { too_long: 99 })]);
  expect(screen.getByText('Not understood: 50 B')).toBeVisible();
  expect(screen.getByText('and from 2 more')).toBeVisible();
  expect(screen.queryByText('long')).not.toBeInTheDocument();
});

test('there is none where every byte is in a message', () => {
  show([sender('long', { too_long: 99 })]);
  expect(screen.queryByText(/Not understood/)).not.toBeInTheDocument();
});
