/** The effect of a route's steps on the last messages that it takes. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type RouterDocument, idOf, textOf } from '../document';
import { stepsOf } from '../steps/steps';
import { runTest } from '../testing/run';
import type { RouteReport, TestReport } from '../testing/wire';

const MESSAGES = 1_000;
const WAIT_MS = 250;
const EXAMPLES = 5;

export type Preview = { report: RouteReport | undefined; isOld: boolean; error: Error | null };

/** The last answer stays, marked as old, while the next one is on its way. */
export function usePreview(document: RouterDocument, index: number): Preview {
  const [settled] = useDebouncedValue(document, WAIT_MS);
  const route = settled.routes[index] ?? {};
  const query = textOf(route['where']).trim();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['router', 'preview', settled, index],
    queryFn: async ({ signal }): Promise<TestReport | null> => {
      let last: TestReport | null = null;
      const request = {
        document: settled,
        ...(query !== '' && { query }),
        limit: MESSAGES,
        examples: EXAMPLES,
      };
      for await (const report of runTest(request, signal)) last = report;
      return last;
    },
    enabled: stepsOf(route).length > 0,
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    retry: false,
  });
  return {
    report: data?.routes.find(({ id }) => id === idOf(route)),
    isOld: isPlaceholderData || settled !== document,
    error,
  };
}
