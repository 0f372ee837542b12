import { beforeAll, beforeEach } from "vitest";
import { emptyHouse, startHouse } from "./house.ts";

beforeAll(startHouse);
beforeEach(emptyHouse);
