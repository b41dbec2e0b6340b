import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { termsOf } from '../../test-corpus';
import { renderPart } from '../../test-render';
import { hitsOf } from '../highlight';
import { SmartText } from './SmartText';
import { profileOf } from './profile';
import { sample } from './sample';
import { smartOf } from './smart';

function show(part: Parameters<typeof sample>[0], query = '', asked: string[] = []) {
  const message = sample(part);
  const profile = profileOf([message], (one) => smartOf(one).pairs, asked);
  const hits = hitsOf(termsOf(query));
  renderPart(
    <p data-testid="row">
      <SmartText message={message} hits={hits} wrap={false} profile={profile} />
    </p>,
  );
  return screen.getByTestId('row');
}

test('an object is said in words, with its telling values behind them', () => {
  const row = show({
    message: '{"ts":1795,"level":"info","msg":"payment declined","status":502,"took":"3.6s"}',
    fields: { ts: '1795', msg: 'payment declined', status: '502', took: '3.6s' },
  });
  expect(row).toHaveTextContent(/^payment declined status=502 took=3.6s$/);
  expect(screen.getByText('status=').parentElement).toHaveAttribute('data-value', '502');
});

test('values that no query can ask for are said, but nothing is offered for them', () => {
  const row = show({ message: '{"msg":"paid","who":"ana"}', fields: {} });
  expect(row).toHaveTextContent('paid who=ana');
  expect(row.querySelector('[data-field]')).toBeNull();
});

test('fields beside a sentence are said unless the sentence has them, or the query', () => {
  const fields = { user: 'ana', tty: 'pts/1', seat: '4' };
  expect(show({ message: 'session of ana', fields }, '', ['seat'])).toHaveTextContent(
    'session of ana tty=pts/1',
  );
});

test('colours of a terminal are not shown, and markup is text', () => {
  const row = show({ message: '\u001b[31m<b>red</b>\u001b[0m key took 12 ms' }, 'key host:key');
  expect(row).toHaveTextContent('<b>red</b> key took 12 ms');
  expect(row.querySelector('mark')).toHaveTextContent('key');
  expect(row.querySelector('[data-kind="number"]')).toHaveTextContent('12');
});

test('a word that was found in a field is shown and marked, however usual the field is', () => {
  const fields = { user: 'the key', seat: '4' };
  const row = show({ message: 'request served', fields }, 'key host:key', ['user']);
  expect(row).toHaveTextContent('request served user=the key seat=4');
  expect(row.querySelector('mark')).toHaveTextContent('key');
});

test('a long value is shown from where the word was found', () => {
  const fields = { agent: `${'x'.repeat(100)} key and more` };
  const row = show({ message: 'request served', fields }, 'key host:key');
  expect(row).toHaveTextContent('agent=…xxxxxxx key and more');
});
