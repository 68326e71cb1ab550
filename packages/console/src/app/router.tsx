import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Link,
  redirect,
  type ErrorComponentProps,
} from "@tanstack/react-router";
import { readRunsSearch } from "../runs/search.js";
import { readCompareSearch } from "../compare/search.js";
import { readRunSearch } from "../run/search.js";
import { Empty, Failure } from "../ui/states.js";
import { readQueueSearch } from "../queue/search.js";
import { readWorkflowSearch } from "../workflow/search.js";
import { Shell } from "./shell.js";

const root = createRootRoute({
  component: Shell,
  notFoundComponent: () => (
    <Empty title="There is nothing here">
      <p>The address may be mistyped. The runs are where they were.</p>
      <Link className="button" to="/runs" search={{}}>
        See the runs
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
  component: lazyRouteComponent(() => import("../runs/runs-page.js"), "RunsPage"),
});

const run = createRoute({
  getParentRoute: () => root,
  path: "/runs/$runId",
  validateSearch: readRunSearch,
  component: lazyRouteComponent(() => import("../run/run-page.js"), "RunPage"),
});

const admin = createRoute({
  getParentRoute: () => root,
  path: "/admin",
  component: lazyRouteComponent(() => import("../admin/admin-page.js"), "AdminPage"),
});

const compare = createRoute({
  getParentRoute: () => root,
  path: "/compare",
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import("../compare/compare-page.js"), "ComparePage"),
});

const workflows = createRoute({
  getParentRoute: () => root,
  path: "/workflows",
  component: lazyRouteComponent(() => import("../workflow/workflows-page.js"), "WorkflowsPage"),
});

const workflow = createRoute({
  getParentRoute: () => root,
  path: "/workflows/$workflowId",
  validateSearch: readWorkflowSearch,
  component: lazyRouteComponent(() => import("../workflow/workflow-page.js"), "WorkflowPage"),
});

const queue = createRoute({
  getParentRoute: () => root,
  path: "/queue",
  validateSearch: readQueueSearch,
  component: lazyRouteComponent(() => import("../queue/queue-page.js"), "QueuePage"),
});

const workers = createRoute({
  getParentRoute: () => root,
  path: "/workers",
  component: lazyRouteComponent(() => import("../workers/workers-page.js"), "WorkersPage"),
});

const health = createRoute({
  getParentRoute: () => root,
  path: "/health",
  component: lazyRouteComponent(() => import("../health/health-page.js"), "HealthPage"),
});

export const router = createRouter({
  routeTree: root.addChildren([home, runs, run, workflows, workflow, queue, workers, health, compare, admin]),
  defaultPreload: "intent",
  defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => <Failure error={error} onRetry={reset} />,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
