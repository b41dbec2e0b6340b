/** The providers, in the order in which they need one another. */
import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useState } from 'react';
import { isRefusal, listenForSessionLoss } from '../api/client';
import { sessionQuery } from '../api/session';
import { cssVariablesResolver, theme } from '../ui/theme';
import { createAppRouter } from './routes';

const RETRIES_MAX = 2;

export function App() {
  const [queryClient] = useState(createQueryClient);
  const [router] = useState(createAppRouter);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
    >
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}

function createQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    defaultOptions: { queries: { retry: shouldRetry, staleTime: 1_000 } },
  });
  listenForSessionLoss(() => {
    queryClient.setQueryData(sessionQuery.queryKey, (session) =>
      session === undefined
        ? session
        : { ...session, authenticated: false, user: null, csrf_token: null },
    );
  });
  return queryClient;
}

/** A refusal stays one; a server that is away or overloaded may come back. */
function shouldRetry(failures: number, error: Error): boolean {
  return !isRefusal(error) && failures < RETRIES_MAX;
}
