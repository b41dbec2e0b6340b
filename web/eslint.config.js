import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** The folders of src/ that a feature may not import: the other features, and app/, which knows them all. */
const features = [
  'session',
  'welcome',
  'agents',
  'search',
  'tail',
  'router',
  'flow',
  'admin',
  'logspaces',
  'senders',
  'overview',
  'help',
];

/** A feature imports from its own folder, messages/, ui/ and api/, and from no other feature. */
const featureZones = features.map((feature) => ({
  files: [`src/${feature}/**`],
  rules: forbid([...features.filter((other) => other !== feature), 'app']),
}));

function forbid(folders, typesOnly = []) {
  const message = 'A feature imports only messages/, ui/ and api/ (CONTRIBUTING.md).';
  const pattern = (names, allowTypeImports) => ({
    group: names.map((name) => `**/${name}/*`),
    message,
    allowTypeImports,
  });
  const patterns = [pattern(folders, false)];
  if (typesOnly.length > 0) patterns.push(pattern(typesOnly, true));
  return { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] };
}

export default tseslint.config(
  { ignores: ['dist', 'src/api/types.ts'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.strictTypeChecked, reactHooks.configs.flat.recommended],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // The console may lie below a path.
      'no-restricted-syntax': [
        'error',
        {
          selector: "JSXAttribute[name.name='href'] > Literal[value=/^\\u002f/]",
          message: 'Write address(…) of ui/open.ts, which puts the path of the console before it.',
        },
        {
          selector: "CallExpression[callee.name='fetch'] > Literal[value=/^\\u002f/]",
          message: 'Write under(…) of base.ts, which puts the path of the console before it.',
        },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
    },
  },
  ...featureZones,
  { files: ['src/api/**'], rules: forbid([...features, 'app', 'messages', 'ui']) },
  // What the pages that show messages share knows none of them.
  { files: ['src/messages/**'], rules: forbid([...features, 'app']) },
  // ui/ may know what a message looks like, not how to get one.
  { files: ['src/ui/**'], rules: forbid([...features, 'app', 'messages'], ['api']) },
  // Only the server knows the grammar, so what reads and changes a query asks it.
  { files: ['src/ui/query/**'], rules: forbid([...features, 'app', 'messages']) },
);
