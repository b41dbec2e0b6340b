import { describe, expect, it } from 'vitest';
import { sampleSender } from './sample';
import { countsOf, listed, skewText, troubleText, troublesOf } from './senders';
import { type SendersState, readSenders } from './sendersParams';

const silent = sampleSender({ host: 'fw-1', silent: true, quiet_seconds: 5880 });
const skewed = sampleSender({ host: 'fw-2', skewed: true, skew_ms: -7_200_000, rate: 9 });
const odd = sampleSender({ host: 'ups', unparsed: 500, address: '10.9.9.9' });
const well = sampleSender({ host: 'fw-10', unparsed: 1 });
const all = [well, odd, skewed, silent];

function hosts(part: Partial<SendersState>): string[] {
  return listed(all, { ...readSenders({}), ...part }).map(({ host }) => host);
}

describe('the list of senders', () => {
  it('begins with what needs a look', () => {
    expect(hosts({})).toEqual(['fw-1', 'fw-2', 'ups', 'fw-10']);
    expect(hosts({ isReversed: true })).toEqual(['fw-10', 'ups', 'fw-2', 'fw-1']);
  });

  it('sorts names as people count', () => {
    expect(hosts({ sort: 'host' })).toEqual(['fw-1', 'fw-2', 'fw-10', 'ups']);
    expect(hosts({ sort: 'rate' })[0]).toBe('fw-2');
  });

  it('finds by any name, and by trouble', () => {
    expect(hosts({ find: '10.9' })).toEqual(['ups']);
    expect(hosts({ show: 'unparsed' })).toEqual(['ups']);
    expect(hosts({ show: 'new' })).toEqual([]);
    expect(countsOf(all)).toEqual({ all: 4, silent: 1, skewed: 1, unparsed: 1, new: 0 });
  });

  it('says in words what is the matter', () => {
    expect(troubleText('silent', silent)).toBe('silent 1 h');
    expect(troubleText('skewed', skewed)).toBe('2 h ahead');
    const zone = { guess: '+02:00', seconds_ahead: 7200, messages: 20, of: 20 };
    expect(troubleText('skewed', sampleSender({ skewed: true, zone }))).toBe('UTC+02:00?');
    expect(troublesOf(well)).toEqual([]);
    expect([0, 41_000, -19_800_000, 7_201_000].map(skewText)).toEqual([
      'in step',
      '41 s behind',
      '5 h 30 min ahead',
      '2 h behind',
    ]);
  });
});
