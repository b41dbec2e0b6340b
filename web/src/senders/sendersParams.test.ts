import { describe, expect, it } from 'vitest';
import { type SendersState, readSenders, writeSenders } from './sendersParams';

describe('the address of the senders page', () => {
  const states: SendersState[] = [
    { find: '', show: 'all', sort: 'state', isReversed: false, open: null },
    { find: 'edge', show: 'silent', sort: 'rate', isReversed: true, open: null },
    {
      find: '',
      show: 'new',
      sort: 'state',
      isReversed: true,
      open: { source: 'syslog', host: 'a b/c' },
    },
  ];
  it.each(states)('reads what it wrote', (state) => {
    expect(readSenders(writeSenders(state))).toEqual(state);
  });

  it('is short where nothing was chosen, and forgives what it does not know', () => {
    expect(writeSenders(readSenders({}))).toEqual({});
    expect(readSenders({ show: 'odd', sort: '-odd', host: 'alone' })).toMatchObject({
      show: 'all',
      sort: 'state',
      open: null,
    });
  });
});
