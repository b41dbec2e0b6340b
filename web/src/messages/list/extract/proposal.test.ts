import { expect, test } from 'vitest';
import { foundIn, patternOf } from './pattern';
import { placeIn, proposalFor } from './proposal';

/** The text between `⟦` and `⟧` is selected. */
function check(marked: string, pattern: string | null, value?: string) {
  const start = marked.indexOf('⟦');
  const end = marked.indexOf('⟧') - 1;
  const message = marked.replace('⟦', '').replace('⟧', '');
  const proposal = proposalFor(message, start, end, ['host', 'time']);
  expect(proposal && patternOf(proposal)).toBe(pattern);
  if (proposal === null) return;
  const selected = marked.slice(start + 1, end + 1);
  expect(proposal.value).toBe(value ?? selected);
  // The proposal finds the selection in the same message.
  expect(foundIn(patternOf(proposal), message)?.[proposal.name]).toBe(proposal.value);
}

test('the word before tells where the value is', () => {
  check('connection from ⟦10.7.10.12⟧ () at Sun', 'connection from <ip>');
  check('Accepted password for ⟦root⟧ from 10.0.0.1', 'password for <value>');
  check('Invalid user ⟦oracle⟧ from 10.0.0.1', 'user <user>');
  check('uid=0 rhost=⟦web-1⟧  user=root', 'rhost=<rhost>');
});

test('signs around the value are part of the text', () => {
  check('rule "⟦block all⟧" matched', 'rule "<rule>"');
  check('mail from <⟦ana@example.org⟧>, size 12', 'mail from <<value>>');
  check('sshd(pam_unix)[⟦19939⟧]: failed', 'pam_unix)[<value>]');
  check(String.raw`path C:\⟦temp⟧\x denied`, String.raw`C:\<value>\ `.trim());
  check('rate *⟦12⟧* of 90', 'rate *<value>*');
});

test('words that change are passed over', () => {
  check('port 22 ⟦ssh2⟧ closed', 'port <_> <value>');
  check('took 12 ms 4 ⟦rows⟧', 'ms <_> <value>');
});

test('a selection within a word means the word', () => {
  check('user=al⟦ic⟧e, uid=0', 'user=<user>,', 'alice');
  check('from 1⟦0.7.10.1⟧2 closed', 'from <ip>', '10.7.10.12');
  check('größe=⟦gro⟧ß cm', 'größe=<größe>', 'groß');
});

test('at the beginning the text after the value tells it', () => {
  check('⟦session⟧ opened for root', '<value> opened');
  check('⟦42⟧% used', '<value>%');
});

test('at the end the value is the last word', () => {
  check('link down on ⟦eth0⟧', 'down on <value>');
  check('first line\nuser ⟦bob⟧\nthird', 'user <user>');
});

test('a value with spaces needs text on both sides', () => {
  check('at ⟦Sun Jul 10⟧ closed', 'at <value> closed');
  check('reason: ⟦disk full⟧', null);
  check('⟦disk full⟧ on /dev/sda', null);
});

test('nothing is proposed where no text tells the value from the rest', () => {
  check('⟦everything⟧', null);
  check('<⟦a⟧>', '<<value>>');
  check('x <name>⟦ y⟧z', null);
});

test('the name of a field that every message has is not proposed', () => {
  check('host ⟦web-1⟧ is down', 'host <value>');
});

test('of several places the closest one is meant', () => {
  expect(placeIn('a b a b a', 'a', 0)).toBe(0);
  expect(placeIn('a b a b a', 'a', 5)).toBe(4);
  expect(placeIn('a b a b a', 'c', 5)).toBe(null);
});
