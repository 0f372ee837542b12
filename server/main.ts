import { setTimeout } from "node:timers/promises";
import { ensureAdmin } from "./accounts/accounts.ts";
import { isCommonPassword } from "./accounts/passwords.ts";
import { buildApp } from "./app.ts";
import { startMessages } from "./chat/messages.ts";
import { readConfig, StartError } from "./config.ts";
import { openEngine } from "./db/engine.ts";
import { giveKey } from "./demo/example-shop.ts";
import { loadDemo } from "./demo/load.ts";
import { workOneByOne } from "./http/overload.ts";
import { adoptTimezone } from "./lists/counters.ts";
import { startArchiving } from "./operations/archive/archiving.ts";
import { startBackups } from "./operations/backup/scheduled.ts";
import { checkKeys } from "./operations/backup/seal.ts";
import { answerWhileStarting, leave } from "./operations/health.ts";
import { startHousekeeping } from "./operations/housekeeping.ts";
import { startDelivering } from "./webhooks/delivering.ts";

/** Connections waiting to be accepted. Beyond them the system drops one, and its sender tries again after a second. */
const backlog = 4096;

// Whatever the program writes can be read by its own account only.
process.umask(0o077);

async function start() {
  const config = readConfig(process.env);
  if (config.backups && config.backupKeys) await checkKeys(config.backupKeys);
  const tracing = config.traces && (await import("./operations/tracing.ts")).startTracing(config.traces);
  // Embedded, there are no other servers, and a start leaves the process no time to answer.
  const starting = config.databaseUrl
    ? await answerWhileStarting(config).catch((error) => {
        throw explained(error, config.port);
      })
    : undefined;
  const engine = await openEngine(config, { waitsForPrimary: true, tell: starting?.tell }).catch(async (error) => {
    await starting?.stop();
    throw error;
  });
  let stop = async () => {
    await Promise.all([starting?.stop(), engine.close()]);
  };
  let origin: string;
  try {
    await adoptTimezone(engine.db, config.timezone);
    if (engine.kind === "embedded") workOneByOne();
    const app = await buildApp({ db: engine.db, config, now: () => new Date() }, tracing?.traceCalls);
    let stopHousekeeping = async () => {};
    let stopDelivering = async () => {};
    let stopMessages = async () => {};
    let stopBackups = async () => {};
    let stopArchiving = async () => {};
    stop = async () => {
      await starting?.stop();
      await Promise.all([app.close(), stopDelivering(), stopMessages(), stopBackups(), stopArchiving()]);
      await stopHousekeeping();
      await engine.close();
      await tracing?.stop();
    };
    // A chosen password works from the first call on. A generated one is printed only when it can be used.
    if (config.adminPassword) await ensureAdmin(engine.db, config);
    await starting?.stop();
    await app.listen({ port: config.port, host: config.host, backlog });
    const password = await ensureAdmin(engine.db, config);
    if (config.adminPassword && isCommonPassword(config.adminPassword, config.adminUsername))
      console.log("ADMIN_PASSWORD is easy to guess: change it in Account Setting");
    if (config.demo && (await loadDemo(engine.db, new Date())))
      console.log("Loaded a demo business to look around in (npm run demo:remove takes it away)");
    if (config.demo && !config.databaseUrl) await giveKey(engine.db, config.dataDir);
    if (password)
      console.log(`Sign in as ${config.adminUsername} with the password ${password} (shown only this once)`);
    const { port } = app.server.address() as { port: number };
    stopHousekeeping = startHousekeeping(
      engine,
      (error) => app.log.error({ err: error }, "housekeeping failed"),
      (line) => app.log.info(line),
    );
    const delivering = startDelivering(engine.db, { mayBePrivate: config.webhookPrivate }, (error) =>
      app.log.error({ err: error }, "webhooks could not be sent to"),
    );
    stopDelivering = delivering.stop;
    if (config.chat)
      stopMessages = startMessages(engine.db, config, (error) => app.log.error({ err: error }, "messages failed"));
    if (config.backups)
      stopBackups = startBackups(engine.db, config.backups, config.backupKeys, {
        report: (line) => app.log.info(line),
        onFailure: (error) => app.log.error({ err: error }, "backing up failed"),
      });
    const { folder, keep } = config.archives;
    if (keep)
      stopArchiving = startArchiving(
        engine.db,
        { folder, keep, keys: config.backupKeys },
        {
          report: (line) => app.log.info(line),
          onFailure: (error) => app.log.error({ err: error }, "archiving the log failed"),
        },
      );
    // Under the name localhost the panel always calls port 7400.
    origin = `http://${port === 7400 ? "localhost" : "127.0.0.1"}:${port}`;
  } catch (error) {
    await stop();
    throw explained(error, config.port);
  }

  let stopping = false;
  const onSignal = async () => {
    // A second signal does not wait.
    if (stopping) process.exit(1);
    stopping = true;
    leave();
    if (config.shutdownDelay > 0) {
      console.log(`Stopping in ${config.shutdownDelay} s …`);
      await setTimeout(config.shutdownDelay * 1_000);
    }
    console.log("Finishing running requests …");
    await stop();
    // A silent receiver of traces is not waited for either.
    if (tracing) process.exit();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // Printed last: whoever reads this may ask the program to stop at once.
  console.log(`Footprint is ready at ${origin} (${engine.kind} database)`);
}

function explained(error: unknown, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE")
    return new StartError(`Port ${port} is taken: stop what uses it, or set PORT to another one.`);
  if (code === "EACCES")
    return new StartError(`Port ${port} may not be used by this account: set PORT to 1024 or more.`);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new StartError("HOST is not an address of this machine: set it to 127.0.0.1 or 0.0.0.0.");
  return error;
}

start().catch((error) => {
  console.error(error instanceof StartError ? error.message : error);
  process.exitCode = 1;
});
