/** The providers, in the order of their dependencies. */
import { MantineProvider } from '@mantine/core';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ApiError, isRefusal, listenForSessionLoss } from '../api/client';
import { healthQuery } from '../api/status';
import { endSession } from '../api/session';
import { Toasts } from '../ui/Toasts';
import { cssVariablesResolver, theme } from '../ui/theme';
import { createAppRouter } from './routes';

const RETRIES_MAX = 2;

export function App() {
  const [queryClient] = useState(createQueryClient);
  const [router] = useState(createAppRouter);
  useEffect(() => listenForSessionLoss(() => endSession(queryClient)), [queryClient]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </MantineProvider>
  );
}

function createQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noticeAbsence }),
    defaultOptions: {
      // A server on the same machine, or in the same network, can be reached without the Internet.
      queries: { retry: shouldRetry, staleTime: 1_000, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  });
  // A failed request is the first sign that the server is away.
  function noticeAbsence(error: Error): void {
    if (error instanceof ApiError && error.status === 0)
      void queryClient.invalidateQueries({ queryKey: healthQuery.queryKey });
  }
  return queryClient;
}

/** A refusal is final; a server that is away or overloaded may recover. */
function shouldRetry(failures: number, error: Error): boolean {
  return !isRefusal(error) && failures < RETRIES_MAX;
}
