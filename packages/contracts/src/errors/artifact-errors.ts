import { RetryError, StopError } from "./families.js";

/** The key of an artifact is taken. It is never replaced, so that an attempt cannot overwrite what another one wrote. */
export class ArtifactExistsError extends StopError {
  constructor(readonly uri: string) {
    super("ARTIFACT_EXISTS", `${uri} exists and was not replaced. Write the artifact under another id.`);
  }
}

/** A retention policy has deleted the content of an artifact (A8). */
export class ArtifactExpiredError extends StopError {
  constructor(
    readonly uri: string,
    /** ISO 8601. */
    readonly expiredAt: string,
  ) {
    super(
      "ARTIFACT_EXPIRED",
      `The content of ${uri} expired and was deleted at ${expiredAt}. Run the step that wrote it again.`,
    );
  }
}

/** The bytes of an artifact are not the bytes that were written. */
export class ArtifactDamagedError extends StopError {
  constructor(
    readonly uri: string,
    difference: string,
  ) {
    super("ARTIFACT_DAMAGED", `${uri} is damaged: ${difference}. Restore the object, or run the step again.`);
  }
}

/** Wraps a failure of a bucket or a folder. `cause` is what its client threw. */
export class ArtifactsUnavailableError extends RetryError {
  constructor(
    readonly location: string,
    cause: unknown,
  ) {
    const { name, message } = cause instanceof Error ? cause : { name: "Error", message: String(cause) };
    const advice = "Check the bucket or folder, its permissions and the network.";
    super("ARTIFACTS_UNAVAILABLE", `Artifacts in ${location} are unavailable: ${name}: ${message} ${advice}`, {
      cause,
    });
  }
}

/** A bucket needs the SDK of its vendor, which is not installed. */
export class ArtifactsNotInstalledError extends StopError {
  constructor(location: string, packages: string) {
    super(
      "ARTIFACTS_NOT_INSTALLED",
      `Artifacts in ${location} need a package that is not installed. Run npm install ${packages}.`,
    );
  }
}
