"""Numbers of chips, planes, blocks, pages and dies (docs/model.md, section 2; capacity also 16.1)."""

from __future__ import annotations

from reference_model.configuration import Configuration, Table
from reference_model.redundancy.layout import Layout
from reference_model.units import MILLION, share


class TranslationPages:
    """4.49: where the mapping is kept, as logical pages behind those of the user."""

    def __init__(self, table: Table, kind: str, user_pages: int, page_size: int) -> None:
        self.kind = kind
        self.entry = table.size("entry", "4B")
        if not 1 <= self.entry <= page_size:
            raise ValueError("ftl.mapping_cache.entry is from 1B to a page")
        self.first = user_pages
        self.entries = page_size // self.entry
        self.count = -(-user_pages // self.entries)

    def has(self, logical: int) -> bool:
        """Whether a logical page is a translation page."""
        return logical >= self.first

    def logical(self, t: int) -> int:
        """Return the logical page that a translation page is."""
        return self.first + t

    def number(self, logical: int) -> int:
        """Return which translation page a logical page is."""
        return logical - self.first


class Geometry:
    """How many of what, and which belongs to which."""

    def __init__(self, config: Configuration) -> None:
        table = config.geometry
        flash_page = table.size("page_size")
        self.page_size = table.size("mapping_unit", f"{flash_page}B")
        # 2.8
        self.parts = flash_page // self.page_size
        if self.parts * self.page_size != flash_page:
            raise ValueError("geometry.mapping_unit does not divide geometry.page_size")
        self.channels = table.whole("channels")
        self.chips = table.whole("chips_per_channel")
        self.luns = table.whole("dies_per_chip")
        self.planes_per_lun = table.whole("planes_per_die")
        self.blocks_per_plane = table.whole("blocks_per_plane")
        self.flash_pages_per_block = table.whole("pages_per_block")
        self.pages_per_block = self.flash_pages_per_block * self.parts
        self.planes = self.channels * self.chips * self.luns * self.planes_per_lun
        self.blocks = self.planes * self.blocks_per_plane
        self.pages = self.blocks * self.pages_per_block
        # 2.2: what does one operation at a time
        overlap = config.flash.switch("dies_overlap", True)
        self.planes_per_die = self.planes_per_lun * (1 if overlap else self.luns)
        self.dies = self.planes // self.planes_per_die
        self.dies_per_channel = self.dies // self.channels
        data_only = table.has("user_capacity")
        pages = self._user_pages(table)
        kind = config.redundancy.choice("kind", ("none", "raid5", "superblock-parity"), "none")
        self.layout = Layout(config.redundancy, self, pages, data_only=data_only) if kind == "raid5" else None
        self.superblock_planes = self._superblock_planes(config.ftl)
        self.user_pages = self.layout.user_pages if self.layout else pages
        self.stored_pages = self.layout.stored_pages if self.layout else pages
        self.parity_parts = self.planes_per_lun if kind == "superblock-parity" else 0
        if self.parity_parts:
            self._keep_parity(data_only=data_only)
        # 4.49
        self.translation: TranslationPages | None = None
        kind = config.mapping_cache.choice("kind", ("all", "pages", "dftl"))
        if kind != "all":
            self.translation = TranslationPages(config.mapping_cache, kind, self.user_pages, self.page_size)
            self.stored_pages += self.translation.count

    def _superblock_planes(self, ftl: Table) -> int:
        """4.43."""
        scope = ftl.choice("superblock", ("plane", "die", "channel", "drive"), "plane")
        planes = {"plane": 1, "die": self.planes_per_lun, "channel": self.planes // self.channels}
        return planes.get(scope, self.planes)

    def _keep_parity(self, *, data_only: bool) -> None:
        """4.48c."""
        dies = self.superblock_planes // self.planes_per_lun
        if self.superblock_planes == 1 or dies < 2:
            raise ValueError("redundancy = superblock-parity needs superblocks of several dies")
        if not data_only:
            self.user_pages = self.user_pages // dies * (dies - 1)
        self.stored_pages = self.user_pages - -self.user_pages // (dies - 1)
        if self.stored_pages > self.pages:
            raise ValueError("geometry.user_capacity and its parity are more than the drive")

    def _user_pages(self, table: Table) -> int:
        """2.4."""
        given = [key for key in ("user_capacity", "over_provisioning", "spare_factor") if table.has(key)]
        if len(given) != 1:
            raise ValueError("exactly one of user_capacity, over_provisioning and spare_factor is needed")
        if given == ["user_capacity"]:
            return table.size("user_capacity") // self.page_size
        if given == ["over_provisioning"]:
            return self.pages * MILLION // (MILLION + table.ppm("over_provisioning"))
        return self.pages - share(table.ppm("spare_factor"), self.pages)

    def plane(self, channel: int, chip: int, lun: int, plane: int) -> int:
        """2.1."""
        return ((channel * self.chips + chip) * self.luns + lun) * self.planes_per_lun + plane

    def blocks_of(self, plane: int) -> range:
        """Return the blocks of a plane (2.1)."""
        return range(plane * self.blocks_per_plane, (plane + 1) * self.blocks_per_plane)

    def pages_of(self, block: int) -> range:
        """Return the pages of a block (2.1)."""
        return range(block * self.pages_per_block, (block + 1) * self.pages_per_block)

    def block_of_page(self, page: int) -> int:
        """Return the block that a page lies in."""
        return page // self.pages_per_block

    def page_in_block(self, page: int) -> int:
        """Return the number of a page within its block."""
        return page % self.pages_per_block

    def flash_page(self, page: int) -> int:
        """2.8: the flash page that a page is a part of, numbered over all blocks."""
        return page // self.parts

    def plane_of_block(self, block: int) -> int:
        """Return the plane that a block lies in."""
        return block // self.blocks_per_plane

    def plane_of_page(self, page: int) -> int:
        """Return the plane that a page lies in."""
        return self.plane_of_block(self.block_of_page(page))

    def die_of_plane(self, plane: int) -> int:
        """2.2."""
        return plane // self.planes_per_die

    def planes_of_die(self, die: int) -> range:
        """2.2."""
        return range(die * self.planes_per_die, (die + 1) * self.planes_per_die)

    def channel_of_die(self, die: int) -> int:
        """2.2."""
        return die // self.dies_per_channel

    def chip_of_die(self, die: int) -> int:
        """2.1 and 2.2: the number of its chip among all of them."""
        return die // (self.dies // (self.channels * self.chips))

    def channel_of_plane(self, plane: int) -> int:
        """Return the channel that a plane hangs on."""
        return self.channel_of_die(self.die_of_plane(plane))

    def partners(self, plane: int) -> range:
        """2.3: the planes of the same LUN, the plane itself among them."""
        first = plane // self.planes_per_lun * self.planes_per_lun
        return range(first, first + self.planes_per_lun)

    def needed_spare(self, kept: int, open_blocks: int, unit_pages: int) -> int:
        """2.5: a plane with fewer spare blocks could not collect."""
        stranded = -(-(unit_pages - 1) * self.blocks_per_plane // self.pages_per_block)
        return max(kept, 1) + open_blocks + 1 + stranded

    def check_spare(self, needed: int) -> None:
        """2.5."""
        spare = (self.pages - self.stored_pages) // self.planes // self.pages_per_block
        if spare < needed:
            raise ValueError(f"{spare} spare blocks in a plane are too few")
