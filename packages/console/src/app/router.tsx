import {
  createRootRoute,
  createRoute,
  createRouter,
  Link,
  redirect,
  type ErrorComponentProps,
} from "@tanstack/react-router";
import { readDatasetSearch, readDatasetsSearch } from "../datasets/search.js";
import { readRunsSearch } from "../runs/search.js";
import { readCompareSearch } from "../compare/search.js";
import { readRunSearch } from "../run/search.js";
import { Empty, Failure } from "../ui/states.js";
import { lazyView } from "../ui/lazy-view.js";
import { readQueueSearch } from "../queue/search.js";
import { buttonClass } from "../ui/button.js";
import { readPartitionSearch } from "../workflow/partitions/search.js";
import { readWorkflowSearch } from "../workflow/search.js";
import { Shell } from "./shell.js";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty title="Page not found">
      <p>Check the address, or go back to the list of runs.</p>
      <Link className={buttonClass()} to="/runs" search={{}}>
        View runs
      </Link>
    </Empty>
  ),
});

const home = createRoute({
  getParentRoute: () => root,
  path: "/",
  beforeLoad: () => redirect({ to: "/runs", search: {}, throw: true }),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: "/runs",
  validateSearch: readRunsSearch,
  component: lazyView(() => import("../runs/runs-page.js").then(({ RunsPage }) => RunsPage)),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: readRunSearch,
  component: lazyView(() => import("../run/run-page.js").then(({ RunPage }) => RunPage)),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  component: lazyView(() => import("../admin/admin-page.js").then(({ AdminPage }) => AdminPage)),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: readCompareSearch,
  component: lazyView(() => import("../compare/compare-page.js").then(({ ComparePage }) => ComparePage)),
});

const workflows = createRoute({
  getParentRoute: () => root,
  path: "/workflows",
  component: lazyView(() => import("../workflow/workflows-page.js").then(({ WorkflowsPage }) => WorkflowsPage)),
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: "/workflows/$workflowId",
  validateSearch: readWorkflowSearch,
  component: lazyView(() => import("../workflow/workflow-page.js").then(({ WorkflowPage }) => WorkflowPage)),
});

const partitions = createRoute({
  getParentRoute: () => root,
  path: "/workflows/$workflowId/partitions",
  validateSearch: readPartitionSearch,
  component: lazyView(() =>
    import("../workflow/partitions/partitions-page.js").then(({ PartitionsPage }) => PartitionsPage),
  ),
});

const queue = createRoute({
  getParentRoute: () => root,
  path: "/queue",
  validateSearch: readQueueSearch,
  component: lazyView(() => import("../queue/queue-page.js").then(({ QueuePage }) => QueuePage)),
});

const workers = createRoute({
  getParentRoute: () => root,
  path: "/workers",
  component: lazyView(() => import("../workers/workers-page.js").then(({ WorkersPage }) => WorkersPage)),
});

const outbox = createRoute({
  getParentRoute: () => root,
  path: "/outbox",
  component: lazyView(() => import("../outbox/outbox-page.js").then(({ OutboxPage }) => OutboxPage)),
});

const triggers = createRoute({
  getParentRoute: () => root,
  path: "/triggers",
  component: lazyView(() => import("../triggers/triggers-page.js").then(({ TriggersPage }) => TriggersPage)),
});

const datasets = createRoute({
  getParentRoute: () => root,
  path: "/datasets",
  validateSearch: readDatasetsSearch,
  component: lazyView(() => import("../datasets/datasets-page.js").then(({ DatasetsPage }) => DatasetsPage)),
});

const dataset = createRoute({
  getParentRoute: () => root,
  path: "/datasets/dataset",
  validateSearch: readDatasetSearch,
  component: lazyView(() => import("../datasets/dataset-page.js").then(({ DatasetPage }) => DatasetPage)),
});

const health = createRoute({
  getParentRoute: () => root,
  path: "/health",
  component: lazyView(() => import("../health/health-page.js").then(({ HealthPage }) => HealthPage)),
});

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    runs,
    run,
    workflows,
    workflow,
    partitions,
    queue,
    workers,
    outbox,
    triggers,
    datasets,
    dataset,
    health,
    compare,
    admin,
  ]),
  defaultPreload: "intent",
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => <Failure error={error} onRetry={reset} />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
