import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { renderPart } from '../test-render';
import { PageLoadError } from './PageLoadError';

const shown = (error: Error) =>
  renderPart(<PageLoadError error={error} isFilled={false} onRetry={() => undefined} />);

test('a failure names its request, which the log of the server knows', () => {
  shown(Object.assign(new Error('disk'), { status: 500, requestId: '9f86d081' }));
  expect(screen.getByRole('alert')).toHaveTextContent('Request 9f86d081');
});

test('a failure without a request names none', () => {
  shown(Object.assign(new Error('disk'), { status: 500, requestId: undefined }));
  shown(new Error('a mistake of the console'));
  expect(screen.queryByText(/Request/)).toBeNull();
});
