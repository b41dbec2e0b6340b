/**
 * The addresses of the console. Pages get their part of the address as props and do not depend on
 * the router.
 */
import {
  Navigate,
  type RouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  useNavigate,
  useSearch,
} from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { type ComponentType, type ReactNode, useCallback, useMemo } from 'react';
import { Skeleton } from '@mantine/core';
import { base } from '../base';
import { fetched } from '../api/code';
import { readAdmin, writeAdmin } from '../admin/adminParams';
import { readAgents, writeAgents } from '../agents/agentParams';
import { SearchPage } from '../search/page/SearchPage';
import { preferredRefresh } from '../search/live';
import { readSearch, writeSearch } from '../search/searchParams';
import { readRouterView, writeRouterView } from '../router/routerParams';
import { readApi, readGuide, writeApi } from '../help/helpParams';
import { readLogspaces, writeLogspaces } from '../logspaces/logspacesParams';
import { readSenders, writeSenders } from '../senders/sendersParams';
import { readTail, writeTail } from '../tail/tailParams';
import { readRange, writeRange } from '../ui/range';
import { readStep, writeStep } from '../welcome/welcomeParams';
import { sessionQuery } from '../api/session';
import { healthQuery } from '../api/status';
import { Empty } from '../ui/Empty';
import { ErrorPage, NotFound } from './ErrorPage';
import { Gate } from './Gate';
import { LogspaceScope, RangeScope } from './Scope';
import { parseParams, stringifyParams } from './params';
import { firstPage } from './pages';

type Params = Record<string, string | undefined>;

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The name of the page in lists of keys and commands. */
    page?: string;
  }
}

const rootRoute = createRootRoute({
  component: Gate,
  notFoundComponent: NotFound,
  // If the frame itself fails, so does the page's <main>, so it is rendered again.
  errorComponent: (props) => (
    <main>
      <ErrorPage {...props} />
    </main>
  ),
});

/** The start page of the user. */
function FirstPage(): ReactNode {
  const { data: session } = useQuery(sessionQuery);
  // The address may contain the reason why a sign-in with a provider failed.
  return <Navigate to={firstPage(session?.user)} search={useParams()} replace />;
}

function useParams(): Params {
  return useSearch({ strict: false });
}

/** A page without state of its own. */
function plainRoute<const Path extends string>(place: {
  path: Path;
  page: string;
  Page: RouteComponent;
}) {
  const { path, page, Page } = place;
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    staticData: { page },
    component: Page,
  });
}

type PlainRoute<Path extends string> = ReturnType<typeof plainRoute<Path>>;

type PageProps<State> = {
  state: State;
  /** `replace` adds no entry to the browser's history. */
  onChange: (state: State, replace?: boolean) => void;
};

type StatePlace<Path, State> = {
  path: Path;
  page: string;
  read: (params: Params) => State;
  write: (state: State) => Params;
  /** The parameters of other pages that stay in the address. */
  kept?: readonly string[];
  Page: ComponentType<PageProps<State>>;
};

/** A page whose state is in the address. */
function stateRoute<const Path extends string, State>(
  place: StatePlace<Path, State>,
): PlainRoute<Path> {
  const { path, page, read, write, kept = [], Page } = place;
  const to: string = path;
  function Stateful(): ReactNode {
    const params = useParams();
    const navigate = useNavigate();
    const onChange = useCallback(
      (state: State, replace = false) => {
        const search = (now: Params) => ({
          ...Object.fromEntries(kept.map((name) => [name, now[name]])),
          ...write(state),
        });
        void navigate({ to, search, replace });
      },
      [navigate],
    );
    // The same address gives the same state object, so that nothing is rendered twice.
    const state = useMemo(() => read(params), [params]);
    return <Page state={state} onChange={onChange} />;
  }
  return plainRoute({ path, page, Page: Stateful });
}

function lazyPage<Part extends Record<string, unknown>, Name extends string & keyof Part>(
  load: () => Promise<Part>,
  name: Name,
) {
  return lazyRouteComponent(() => fetched(load), name);
}

const TailPage = lazyPage(() => import('../tail/TailPage'), 'TailPage');
const RouterPage = lazyPage(() => import('../router/RouterPage'), 'RouterPage');
const FlowPage = lazyPage(() => import('../flow/FlowPage'), 'FlowPage');
const AdminPage = lazyPage(() => import('../admin/AdminPage'), 'AdminPage');
const WelcomePage = lazyPage(() => import('../welcome/WelcomePage'), 'WelcomePage');

const pages = [
  createRoute({ getParentRoute: () => rootRoute, path: '/', component: FirstPage }),
  plainRoute({
    path: '/overview',
    page: 'Overview',
    Page: lazyPage(() => import('../overview/OverviewPage'), 'OverviewPage'),
  }),
  stateRoute({
    path: '/search',
    page: 'Search',
    read: (params) => readSearch(params, preferredRefresh()),
    write: writeSearch,
    Page: (props) => (
      <SearchPage
        {...props}
        logspaces={<LogspaceScope />}
        range={<RangeScope query={props.state.query} />}
      />
    ),
  }),
  stateRoute({
    path: '/tail',
    page: 'Tail',
    read: readTail,
    write: writeTail,
    kept: ['from', 'to'],
    Page: (props) => <TailPage {...props} logspaces={<LogspaceScope />} />,
  }),
  stateRoute({
    path: '/senders',
    page: 'Senders',
    read: readSenders,
    write: writeSenders,
    kept: ['from', 'to', 'logspace'],
    Page: lazyPage(() => import('../senders/SendersPage'), 'SendersPage'),
  }),
  stateRoute({
    path: '/router',
    page: 'Router',
    read: readRouterView,
    write: writeRouterView,
    kept: ['from', 'to', 'logspace'],
    Page: ({ state, onChange }) => <RouterPage view={state} onChange={onChange} />,
  }),
  stateRoute({
    path: '/flow',
    page: 'Flow',
    read: ({ from, to }) => readRange(from, to),
    write: writeRange,
    kept: ['logspace'],
    Page: ({ state, onChange }) => (
      <FlowPage range={state} picker={<RangeScope />} onRange={onChange} />
    ),
  }),
  stateRoute({
    path: '/send',
    page: 'Send logs',
    read: readAgents,
    write: writeAgents,
    Page: lazyPage(() => import('../agents/AgentsPage'), 'AgentsPage'),
  }),
  stateRoute({
    path: '/logspaces',
    page: 'Logspaces',
    read: readLogspaces,
    write: writeLogspaces,
    kept: ['from', 'to', 'logspace'],
    Page: lazyPage(() => import('../logspaces/LogspacesPage'), 'LogspacesPage'),
  }),
  stateRoute({
    path: '/admin',
    page: 'Admin',
    read: readAdmin,
    write: writeAdmin,
    kept: ['logspace'],
    Page: (props) => <AdminPage {...props} picker={<RangeScope />} />,
  }),
  stateRoute({
    path: '/help/api',
    page: 'API',
    read: readApi,
    write: writeApi,
    Page: lazyPage(() => import('../help/api/ApiPage'), 'ApiPage'),
  }),
  stateRoute({
    path: '/help',
    page: 'Help',
    read: readGuide,
    write: () => ({}),
    Page: lazyPage(() => import('../help/guide/GuidePage'), 'GuidePage'),
  }),
  stateRoute({
    path: '/welcome',
    page: 'Set-up',
    read: readStep,
    write: writeStep,
    Page: ({ state, onChange }) => <WelcomePage step={state} onStep={onChange} />,
  }),
  // The setup code leads to this address; once there is an administrator, it redirects.
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/setup',
    component: () => <Navigate to="/" replace />,
  }),
  plainRoute({
    path: '/account',
    page: 'Account',
    Page: lazyPage(() => import('../session/account/AccountPage'), 'AccountPage'),
  }),
] as const;

const routeTree = rootRoute.addChildren(pages);

/** How long the previous page stays; loading that takes longer is shown. */
const PENDING_MS = 400;

export function createAppRouter() {
  return createRouter({
    routeTree,
    ...(base !== '' && { basepath: base }),
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    defaultPendingComponent: PagePending,
    defaultPendingMs: PENDING_MS,
    defaultPendingMinMs: 0,
    parseSearch: parseParams,
    stringifySearch: stringifyParams,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

/** Stands in for a page whose code has not arrived: it is loading, or waits for the server. */
function PagePending() {
  const { data: health } = useQuery(healthQuery);
  if (health?.state === 'unreachable') {
    return (
      <Empty isPage title="This page is not here yet">
        <p>It is fetched from the server, and opens by itself as soon as the server answers.</p>
      </Empty>
    );
  }
  return (
    <div className="stack gap16 pad16" role="status" aria-label="Loading the page">
      <Skeleton height={28} width={160} />
      <Skeleton height={96} />
      <Skeleton height={240} />
    </div>
  );
}
