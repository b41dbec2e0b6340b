import './ui/mantine.css';
import './ui/global.css';
import './ui/shared.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { base } from './base';
import { App } from './app/App';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const { pathname, search, hash } = window.location;
if (pathname === base || pathname.startsWith(`${base}/`)) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
} else {
  // The user has bypassed the proxy: the server also answers below the path.
  window.location.replace(base + pathname + search + hash);
}
