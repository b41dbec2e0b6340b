import { screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { renderPart } from '../../test-render';
import { Preview } from './Preview';
import { useScopeError } from './preview';

afterEach(() => vi.unstubAllGlobals());

const refusal = {
  title: 'Bad Request',
  status: 400,
  detail: 'the bracket is never closed',
  line: 1,
  column: 1,
};

function Field({ scope }: { scope: string | null }) {
  const grant = { logspaces: null, scope };
  return (
    <>
      <output aria-label="of the field">{useScopeError(grant) ?? 'none'}</output>
      <Preview who="ana" grant={grant} />
    </>
  );
}

function answer(status: number, body: unknown) {
  const asked: unknown[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    if (request.method === 'POST') asked.push(await request.clone().json());
    const of = request.url.includes('/logspaces') ? { logspaces: [] } : body;
    return new Response(JSON.stringify(of), { status: of === body ? status : 200 });
  });
  return asked;
}

test('a scope that cannot be parsed is refused at its field, and nothing is counted', async () => {
  const asked = answer(400, refusal);
  renderPart(<Field scope="(open" />);
  expect(await screen.findByText('the bracket is never closed')).toBe(
    screen.getByLabelText('of the field'),
  );
  expect(screen.getByText(/until the filter can be read/)).toBeVisible();
  expect(screen.queryByRole('button', { name: /again/i })).not.toBeInTheDocument();
  expect(asked.length).toBeGreaterThan(0);
  for (const body of asked) expect(body).not.toHaveProperty('unparsed');
});

test('another failure is none of the scope', async () => {
  answer(503, { title: 'Busy', status: 503, detail: 'too many searches' });
  renderPart(<Field scope="host:a" />);
  expect(await screen.findByText(/too many searches/)).toBeVisible();
  expect(screen.getByLabelText('of the field')).toHaveTextContent('none');
});
