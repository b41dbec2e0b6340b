/** The addresses of the console. Pages get their part of the address as props and know no router. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  useNavigate,
} from '@tanstack/react-router';
import { useCallback } from 'react';
import { SearchPage } from '../search/SearchPage';
import { type SearchState, readSearch, writeSearch } from '../search/searchParams';
import { type TailState, readTail, writeTail } from '../tail/tailParams';
import { type RouterView, readRouterView, writeRouterView } from '../router/routerParams';
import { ErrorPage } from './ErrorPage';
import { Gate } from './Gate';
import { NotFound } from './NotFound';
import { parseParams, stringifyParams } from './params';

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
  beforeLoad: () => {
    // The router throws a redirect, by its own design.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    throw redirect({ to: '/search' });
  },
});

const searchRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/search',
  component: function Search() {
    const params = searchRoute.useSearch();
    const navigate = useNavigate();
    const onChange = useCallback(
      (state: SearchState, replace = false) =>
        void navigate({ to: '/search', search: writeSearch(state), replace }),
      [navigate],
    );
    return <SearchPage state={readSearch(params)} onChange={onChange} />;
  },
});

const LazyTailPage = lazyRouteComponent(() => import('../tail/TailPage'), 'TailPage');

const tailRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/tail',
  component: function Tail() {
    const params = tailRoute.useSearch();
    const navigate = useNavigate();
    const onChange = useCallback(
      (state: TailState, replace = false) =>
        void navigate({ to: '/tail', search: writeTail(state), replace }),
      [navigate],
    );
    return <LazyTailPage state={readTail(params)} onChange={onChange} />;
  },
});

const LazyRouterPage = lazyRouteComponent(() => import('../router/RouterPage'), 'RouterPage');

const routerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/router',
  component: function Router() {
    const params = routerRoute.useSearch();
    const navigate = useNavigate();
    const onChange = useCallback(
      (view: RouterView) => void navigate({ to: '/router', search: writeRouterView(view) }),
      [navigate],
    );
    return <LazyRouterPage view={readRouterView(params)} onChange={onChange} />;
  },
});

const routeTree = rootRoute.addChildren([indexRoute, searchRoute, tailRoute, routerRoute]);

export function createAppRouter() {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    defaultErrorComponent: ErrorPage,
    parseSearch: parseParams,
    stringifySearch: stringifyParams,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
