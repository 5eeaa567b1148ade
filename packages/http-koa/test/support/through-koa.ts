// Makes the tests of HTTP send every request through Koa.
import { adapter } from "../../../http/test/support/serve.ts";
import { koaListener } from "../../src/index.ts";

adapter.listener = koaListener;
