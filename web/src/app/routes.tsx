/** The addresses of the console. Pages get their part of the address as props and know no router. */
import {
  Navigate,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  useNavigate,
} from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { base } from '../base';
import { fetched } from '../api/code';
import { type AdminState, readAdmin, writeAdmin } from '../admin/adminParams';
import { type AgentsState, readAgents, writeAgents } from '../agents/agentParams';
import { SearchPage } from '../search/page/SearchPage';
import { preferredRefresh } from '../search/live';
import { type SearchState, readSearch, writeSearch } from '../search/searchParams';
import { type RouterView, readRouterView, writeRouterView } from '../router/routerParams';
import { type ApiState, readApi, readGuide, writeApi } from '../help/helpParams';
import { type LogspacesState, readLogspaces, writeLogspaces } from '../logspaces/logspacesParams';
import { type SendersState, readSenders, writeSenders } from '../senders/sendersParams';
import { type TailState, readTail, writeTail } from '../tail/tailParams';
import { type TimeRange, readRange, writeRange } from '../ui/range';
import { type Step, readStep, writeStep } from '../welcome/welcomeParams';
import { sessionQuery } from '../api/session';
import { ErrorPage } from './ErrorPage';
import { Gate } from './Gate';
import { NotFound } from './NotFound';
import { PagePending } from './PagePending';
import { LogspaceScope, RangeScope } from './Scope';
import { parseParams, stringifyParams } from './params';
import { firstPage } from './places';

type Params = Record<string, string | undefined>;

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** What the page is called in lists of keys and commands. */
    page?: string;
  }
}

const rootRoute = createRootRoute({
  component: Gate,
  notFoundComponent: NotFound,
  // Here the frame itself broke, and with it the page's <main>.
  errorComponent: (props) => (
    <main>
      <ErrorPage {...props} />
    </main>
  ),
});

const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  // The address may say why a sign-in elsewhere failed.
  component: function Index() {
    const { data: session } = useQuery(sessionQuery);
    const search = indexRoute.useSearch();
    return <Navigate to={firstPage(session?.user)} search={search} replace />;
  },
});

const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/overview',
  staticData: { page: 'Overview' },
  component: lazyRouteComponent(
    () => fetched(() => import('../overview/OverviewPage')),
    'OverviewPage',
  ),
});

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/search',
  staticData: { page: 'Search' },
  component: function Search() {
    const params = searchRoute.useSearch();
    const navigate = useNavigate();
    const onChange = useCallback(
      (state: SearchState, replace = false) =>
        void navigate({ to: '/search', search: writeSearch(state), replace }),
      [navigate],
    );
    // The same state for the same address: what is drawn from it is drawn once.
    const state = useMemo(() => readSearch(params, preferredRefresh()), [params]);
    return (
      <SearchPage
        state={state}
        logspaces={<LogspaceScope />}
        range={<RangeScope query={state.query} />}
        onChange={onChange}
      />
    );
  },
});

const LazyTailPage = lazyRouteComponent(
  () => fetched(() => import('../tail/TailPage')),
  'TailPage',
);

const tailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tail',
  staticData: { page: 'Tail' },
  component: function Tail() {
    const params: Params = tailRoute.useSearch();
    const navigate = useNavigate();
    const { from, to } = params;
    const onChange = useCallback(
      (state: TailState, replace = false) =>
        void navigate({ to: '/tail', search: { from, to, ...writeTail(state) }, replace }),
      [from, navigate, to],
    );
    return (
      <LazyTailPage state={readTail(params)} logspaces={<LogspaceScope />} onChange={onChange} />
    );
  },
});

const LazySendersPage = lazyRouteComponent(
  () => fetched(() => import('../senders/SendersPage')),
  'SendersPage',
);

const sendersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/senders',
  staticData: { page: 'Senders' },
  component: function Senders() {
    const params: Params = sendersRoute.useSearch();
    const navigate = useNavigate();
    const { from, to, logspace } = params;
    const onChange = useCallback(
      (state: SendersState, replace = false) => {
        const search = { from, to, logspace, ...writeSenders(state) };
        void navigate({ to: '/senders', search, replace });
      },
      [from, logspace, navigate, to],
    );
    return <LazySendersPage state={readSenders(params)} onChange={onChange} />;
  },
});

const LazyRouterPage = lazyRouteComponent(
  () => fetched(() => import('../router/RouterPage')),
  'RouterPage',
);

const routerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/router',
  staticData: { page: 'Router' },
  component: function Router() {
    const params: Params = routerRoute.useSearch();
    const navigate = useNavigate();
    const { from, to, logspace } = params;
    const onChange = useCallback(
      (view: RouterView) => {
        const search = { from, to, logspace, ...writeRouterView(view) };
        void navigate({ to: '/router', search });
      },
      [from, logspace, navigate, to],
    );
    return <LazyRouterPage view={readRouterView(params)} onChange={onChange} />;
  },
});

const LazyFlowPage = lazyRouteComponent(
  () => fetched(() => import('../flow/FlowPage')),
  'FlowPage',
);

const flowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/flow',
  staticData: { page: 'Flow' },
  component: function Flow() {
    const params: Params = flowRoute.useSearch();
    const navigate = useNavigate();
    const { from, to, logspace } = params;
    const onRange = useCallback(
      (range: TimeRange) =>
        void navigate({ to: '/flow', search: { logspace, ...writeRange(range) } }),
      [logspace, navigate],
    );
    const onOpen = useCallback((href: string) => void navigate({ href }), [navigate]);
    return (
      <LazyFlowPage
        range={readRange(from, to)}
        picker={<RangeScope />}
        onRange={onRange}
        onOpen={onOpen}
      />
    );
  },
});

const LazyAgentsPage = lazyRouteComponent(
  () => fetched(() => import('../agents/AgentsPage')),
  'AgentsPage',
);

const agentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/send',
  staticData: { page: 'Send logs' },
  component: function Agents() {
    const params: Params = agentsRoute.useSearch();
    const navigate = useNavigate();
    const onChange = useCallback(
      (state: AgentsState) => void navigate({ to: '/send', search: writeAgents(state) }),
      [navigate],
    );
    return <LazyAgentsPage state={readAgents(params)} onChange={onChange} />;
  },
});

const LazyLogspacesPage = lazyRouteComponent(
  () => fetched(() => import('../logspaces/LogspacesPage')),
  'LogspacesPage',
);

const logspacesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logspaces',
  staticData: { page: 'Logspaces' },
  component: function Logspaces() {
    const params: Params = logspacesRoute.useSearch();
    const navigate = useNavigate();
    const { from, to, logspace } = params;
    const onChange = useCallback(
      (state: LogspacesState, replace = false) => {
        const search = { from, to, logspace, ...writeLogspaces(state) };
        void navigate({ to: '/logspaces', search, replace });
      },
      [from, logspace, navigate, to],
    );
    return <LazyLogspacesPage state={readLogspaces(params)} onChange={onChange} />;
  },
});

const LazyAdminPage = lazyRouteComponent(
  () => fetched(() => import('../admin/AdminPage')),
  'AdminPage',
);

const adminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/admin',
  staticData: { page: 'Admin' },
  component: function Admin() {
    const params: Params = adminRoute.useSearch();
    const navigate = useNavigate();
    const { logspace } = params;
    const onChange = useCallback(
      (state: AdminState, replace = false) =>
        void navigate({ to: '/admin', search: { logspace, ...writeAdmin(state) }, replace }),
      [logspace, navigate],
    );
    return <LazyAdminPage state={readAdmin(params)} picker={<RangeScope />} onChange={onChange} />;
  },
});

const LazyApiPage = lazyRouteComponent(
  () => fetched(() => import('../help/api/ApiPage')),
  'ApiPage',
);

const apiRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/help/api',
  staticData: { page: 'API' },
  component: function Api() {
    const params: Params = apiRoute.useSearch();
    const navigate = useNavigate();
    const onChange = useCallback(
      (state: ApiState, replace = false) =>
        void navigate({ to: '/help/api', search: writeApi(state), replace }),
      [navigate],
    );
    return <LazyApiPage state={readApi(params)} onChange={onChange} />;
  },
});

const LazyGuidePage = lazyRouteComponent(
  () => fetched(() => import('../help/guide/GuidePage')),
  'GuidePage',
);

const guideRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/help',
  staticData: { page: 'Help' },
  component: function Guide() {
    const params: Params = guideRoute.useSearch();
    return <LazyGuidePage state={readGuide(params)} />;
  },
});

const LazyWelcomePage = lazyRouteComponent(
  () => fetched(() => import('../welcome/WelcomePage')),
  'WelcomePage',
);

const welcomeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  staticData: { page: 'Set-up' },
  component: function Welcome() {
    const params: Params = welcomeRoute.useSearch();
    const navigate = useNavigate();
    const onStep = useCallback(
      (step: Step) => void navigate({ to: '/welcome', search: writeStep(step) }),
      [navigate],
    );
    const onSearch = useCallback(
      (query: string) => {
        const search = query === '' ? {} : { q: query, from: 'all' };
        void navigate({ to: '/search', search });
      },
      [navigate],
    );
    return <LazyWelcomePage step={readStep(params)} onStep={onStep} onSearch={onSearch} />;
  },
});

/** Where the setup code leads; once there is an administrator there is nothing to set up any more. */
const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  component: () => <Navigate to="/" replace />,
});

const accountRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/account',
  staticData: { page: 'Account' },
  component: lazyRouteComponent(
    () => fetched(() => import('../session/account/AccountPage')),
    'AccountPage',
  ),
});

const routeTree = rootRoute.addChildren([
  indexRoute,
  overviewRoute,
  searchRoute,
  tailRoute,
  sendersRoute,
  routerRoute,
  flowRoute,
  agentsRoute,
  logspacesRoute,
  adminRoute,
  apiRoute,
  guideRoute,
  welcomeRoute,
  setupRoute,
  accountRoute,
]);

/** The page before stays for so long; what takes longer says that it is on its way. */
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
